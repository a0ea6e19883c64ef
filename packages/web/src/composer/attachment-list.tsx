// The images and files that go with the next message, and why others do not.
import { toByteCount, toFileLabel, toImageLabel } from '@toolyard/sdk';
import { FileText, TriangleAlert, X } from 'lucide-react';
import { IconButton } from '../controls/button.tsx';
import { Spinner } from '../controls/spinner.tsx';
import type { Attachments } from '../outbox/attachments.ts';
import type { Attachment } from '../outbox/draft-attachments.ts';

export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const { items, problems, isReading, isUnkept, remove, dismiss } = attachments;
  if (items.length === 0 && problems.length === 0 && !isReading) return null;
  return (
    <div className="flex flex-col gap-2 px-3 pt-3">
      {problems.length > 0 && <Problems problems={problems} onClose={dismiss} />}
      <ul className="flex flex-wrap gap-2">
        {items.map((item) => (
          <li key={item.id} className="relative">
            <Shown item={item} />
            <IconButton
              label={`Remove ${item.name || 'it'}`}
              size="small"
              // A finger's room is around the mark, and covers nothing.
              className="absolute -top-2 -right-2 size-5! hover:bg-transparent! pointer-coarse:-top-4.5 pointer-coarse:-right-4.5"
              onClick={() => remove(item.id)}
            >
              <span className="flex size-5 items-center justify-center rounded-full border bg-raised">
                <X className="size-3" />
              </span>
            </IconButton>
          </li>
        ))}
        {isReading && <Spinner label="Reading" />}
      </ul>
      {isUnkept && (
        <p role="status" className="text-xs text-warn">
          Your browser has no room to keep {items.length === 1 ? 'it' : 'them'}: send before you reload or
          close this page.
        </p>
      )}
    </div>
  );
}

function Problems({ problems, onClose }: { problems: readonly string[]; onClose(): void }) {
  return (
    <div role="alert" className="flex items-start gap-2 rounded-lg bg-bad-wash px-3 py-1.5 text-13 text-bad">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <span className="flex-1 wrap-anywhere">{problems.join(' ')}</span>
      <IconButton label="Close" size="small" className="-my-1" onClick={onClose}>
        <X className="size-3.5" />
      </IconButton>
    </div>
  );
}

function Shown({ item: { name, part } }: { item: Attachment }) {
  if (part.type === 'file') {
    return (
      <span className="flex h-16 max-w-52 items-center gap-2 rounded-lg border bg-sunken px-3 text-13">
        <FileText className="size-4 shrink-0 text-faint" aria-hidden="true" />
        <span className="truncate">{toFileLabel(part).slice(6, -1)}</span>
      </span>
    );
  }
  const label = toImageLabel(part.mediaType, toByteCount(part.data) ?? 0).slice(1, -1);
  return (
    <img
      src={`data:${part.mediaType};base64,${part.data}`}
      alt={name ? `${name}, ${label}` : label}
      title={label}
      className="size-16 rounded-lg border bg-sunken object-cover"
    />
  );
}
