// A field to filter or search with, that waits until its writer pauses.
import { Search, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';

const pauseMs = 250;

export interface SearchFieldProps {
  label: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
  className?: string | undefined;
}

export function SearchField({ label, placeholder, value, onChange, className }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  if (value !== reported) {
    setReported(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <div className={`relative ${className ?? ''}`}>
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
        aria-hidden="true"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8.5 w-full rounded-lg pointer-coarse:min-h-10 border bg-raised [&::-webkit-search-cancel-button]:hidden pr-8 pl-8 text-sm placeholder:text-faint focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
      />
      {text && (
        <IconButton
          label="Clear"
          size="small"
          className="absolute top-1/2 right-0.5 -translate-y-1/2"
          onClick={() => {
            setText('');
            onChange('');
          }}
        >
          <X className="size-3.5" />
        </IconButton>
      )}
    </div>
  );
}
