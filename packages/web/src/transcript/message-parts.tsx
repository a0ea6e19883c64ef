// The parts of a message: words, and images and files as they were sent.
import {
  type Content,
  type ContentPart,
  toByteCount,
  toFileLabel,
  toImageLabel,
  toReadable,
  toVisibleLine,
} from '@toolyard/sdk';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { toHeadAndTail } from '../text/long-text.ts';
import { PlainText } from '../text/plain-text.tsx';

export function MessageParts({ parts }: { parts: Exclude<Content, string> }) {
  return (
    <div className="flex flex-wrap gap-2">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other name than its place
        <div key={index} className={part.type === 'image' ? 'max-w-full' : 'w-full'}>
          <Part part={part} />
        </div>
      ))}
    </div>
  );
}

function Part({ part }: { part: ContentPart }) {
  if (part.type === 'text') return <Words text={part.text} />;
  if (part.type === 'image') return <Picture part={part} />;
  return (
    <p className="flex items-center gap-2 text-sm">
      <FileText className="size-4 shrink-0 text-faint" aria-hidden="true" />
      <span className="wrap-anywhere">{toVisibleLine(toFileLabel(part).slice(6, -1))}</span>
    </p>
  );
}

function Picture({ part }: { part: Extract<ContentPart, { type: 'image' }> }) {
  const [isOpen, setIsOpen] = useState(false);
  const label = toImageLabel(part.mediaType, toByteCount(part.data) ?? 0).slice(1, -1);
  const source = `data:${part.mediaType};base64,${part.data}`;
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)} className="cursor-zoom-in self-start">
        <img
          src={source}
          alt={label}
          className="h-40 max-w-full rounded-lg border bg-sunken object-contain"
        />
      </button>
      <Dialog open={isOpen} onOpenChange={setIsOpen} title={label} width="large">
        <img src={source} alt={label} className="mx-auto max-h-[70dvh] max-w-full object-contain" />
      </Dialog>
    </>
  );
}

/** The words of a message; a long one is folded. */
export function Words({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const { head, between } = toHeadAndTail(text);
  if (isWhole) return <PlainText text={text} />;
  return (
    <>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {toReadable(between > 0 ? head : text)}
      </p>
      {between > 0 && (
        <Button variant="ghost" size="small" className="-ml-2" onClick={() => setIsWhole(true)}>
          Show all {text.length.toLocaleString('en-US')} characters
        </Button>
      )}
    </>
  );
}
