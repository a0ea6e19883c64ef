// Files that are pasted into a field, or dropped anywhere on its screen: beside the field the browser would open them.
import { type ClipboardEvent, type RefObject, useEffect, useRef } from 'react';

type OnFiles = (files: File[]) => void;

/** Gives what the field needs for a paste. */
export function useDroppedFiles(field: RefObject<HTMLElement | null>, take: OnFiles) {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const screen = field.current?.closest('main');
    if (!screen) return;
    const isFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    const onDragOver = (event: DragEvent) => {
      if (isFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    screen.addEventListener('dragover', onDragOver);
    screen.addEventListener('drop', onDrop);
    return () => {
      screen.removeEventListener('dragover', onDragOver);
      screen.removeEventListener('drop', onDrop);
    };
  }, [field]);
  return {
    onPaste(event: ClipboardEvent) {
      const { files } = event.clipboardData;
      if (files.length === 0) return;
      event.preventDefault();
      take([...files]);
    },
  };
}
