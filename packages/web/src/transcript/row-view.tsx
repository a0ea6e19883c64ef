// One row of a transcript. What has not changed is not drawn again.

import { type ToolItem, toReadable } from '@toolyard/sdk';
import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { Spinner } from '../controls/spinner.tsx';
import { Markdown, MarkdownBlocks } from '../markdown/markdown.tsx';
import { toDuration } from '../parts/format-time.ts';
import { useElapsed } from '../parts/time.tsx';
import { QuestionCard } from '../questions/question-card.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { ToolCard } from '../tool-cards/tool-card.tsx';
import { useExpanded } from '../transcript-rows/expanded-rows.ts';
import type { Row } from '../transcript-rows/rows.ts';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { EndRow, ErrorRow, UnknownRow } from './end-row.tsx';
import { OutgoingRow, QueuedRow, UserRow } from './message-rows.tsx';

export const RowView = memo(function RowView({ row }: { row: Row }) {
  switch (row.kind) {
    case 'user':
      return <UserRow item={row.item} />;
    case 'text':
      return (
        <MarkdownBlocks
          sources={row.sources}
          definitions={row.definitions}
          rest={row.rest}
          isStreaming={row.isStreaming}
        />
      );
    case 'thinking':
      return <ThinkingRow id={row.key} text={row.text} isStreaming={row.isStreaming} />;
    case 'tools':
      return <ToolsRow items={row.items} atOnce={row.atOnce} />;
    case 'error':
      return <ErrorRow item={row.item} />;
    case 'unknown':
      return <UnknownRow type={row.type} />;
    case 'end':
      return <EndRow item={row.item} />;
    case 'approval':
      return <ApprovalCard approval={row.approval} />;
    case 'question':
      return <QuestionCard question={row.question} />;
    case 'working':
      return <WorkingRow since={row.since} />;
    case 'queued':
      return <QueuedRow item={row.item} isNext={row.isNext} />;
    case 'outgoing':
      return <OutgoingRow outgoing={row.outgoing} />;
  }
});

interface ToolsRowProps {
  items: readonly ToolItem[];
  /** How many calls ran at once, these and those in the rows that follow. */
  atOnce: number | undefined;
}

/** Calls of tools; those that ran at once stand side by side. */
function ToolsRow({ items, atOnce = 1 }: ToolsRowProps) {
  const { approvals } = useOpenSession();
  const ids = new Set(items.map(({ toolCallId }) => toolCallId));
  const asked = approvals.filter(({ toolCallId }) => ids.has(toolCallId));
  const isMany = items.length > 1;
  return (
    <div className="flex flex-col gap-2">
      {atOnce > 1 && <p className="text-xs text-faint">{atOnce} calls at once</p>}
      <div className={isMany ? 'grid items-start gap-2 sm:grid-cols-2' : undefined}>
        {items.map((item) => (
          <ToolCard key={item.toolCallId} item={item} />
        ))}
      </div>
      {asked.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </div>
  );
}

const maxMarkdown = 40_000;

interface ThinkingRowProps {
  id: string;
  text: string;
  isStreaming: boolean;
}

/** What the model thought on the way, folded: there for who wants to know. */
function ThinkingRow({ id, text, isStreaming }: ThinkingRowProps) {
  const [isOpen, setIsOpen] = useExpanded(`thinking ${id}`);
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
          {text.length > maxMarkdown ? (
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

/** The agent works and nothing else shows it. */
function WorkingRow({ since }: { since: string | undefined }) {
  const elapsedMs = useElapsed(since);
  return (
    <p className="flex items-center gap-2 text-sm text-faint">
      <Spinner className="size-3.5" />
      Working
      {elapsedMs > 3_000 && <span className="tabular-nums">{toDuration(elapsedMs)}</span>}
    </p>
  );
}
