// What a reader has opened stays open, also when it has been out of view meanwhile and was not drawn.
import { useState } from 'react';

const opened = new Map<string, boolean>();
const maxKept = 2_000;

export function useExpanded(key: string, initially = false): [boolean, (isOpen: boolean) => void] {
  const [isOpen, setIsOpen] = useState(() => opened.get(key) ?? initially);
  const change = (next: boolean) => {
    opened.set(key, next);
    const [oldest] = opened.keys();
    if (opened.size > maxKept && oldest !== undefined) opened.delete(oldest);
    setIsOpen(next);
  };
  return [isOpen, change];
}
