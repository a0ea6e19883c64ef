// What the model thought on the way, folded: there for who wants to know.
import { toReadable } from '@toolyard/sdk';
import { ChevronRight } from 'lucide-react';
import { Markdown } from '../text/markdown.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { useOpened } from '../transcript-rows/remembered.ts';

const mostMarkdown = 40_000;

export interface ThinkingRowProps {
  id: string;
  text: string;
  isStreaming: boolean;
}

export function ThinkingRow({ id, text, isStreaming }: ThinkingRowProps) {
  const [isOpen, setIsOpen] = useOpened(`thinking ${id}`);
  return (
    <div className="text-[0.84375rem] text-soft">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex max-w-full cursor-pointer items-center gap-1.5 rounded-md text-left hover:text-ink"
      >
        <ChevronRight
          className={`size-3.5 shrink-0 transition-transform ${isOpen ? 'rotate-90' : ''}`}
          aria-hidden="true"
        />
        <span className="shrink-0 font-medium">{isStreaming ? 'Thinking…' : 'Thought'}</span>
        {!isOpen && <span className="truncate text-faint">{toBeginning(text, isStreaming)}</span>}
      </button>
      {isOpen && (
        <div className="mt-2 border-l-2 pl-4">
          {text.length > mostMarkdown ? (
            <PlainText text={text} />
          ) : (
            <Markdown text={text} isStreaming={isStreaming} />
          )}
        </div>
      )}
    </div>
  );
}

/** One line of it: where it is now, or how it began. */
function toBeginning(text: string, isStreaming: boolean): string {
  const piece = isStreaming ? text.slice(-120) : text.slice(0, 160);
  return toReadable(piece).replace(/\s+/g, ' ').trim();
}
