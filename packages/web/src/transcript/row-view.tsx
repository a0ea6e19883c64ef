// One row of a transcript. What has not changed is not drawn again.
import { memo } from 'react';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { QuestionCard } from '../questions/question-card.tsx';
import { MarkdownBlocks } from '../text/markdown.tsx';
import { ToolsRow } from '../tool-cards/tools-row.tsx';
import type { Row } from '../transcript-rows/rows.ts';
import { EndRow, ErrorRow, UnknownRow } from './end-row.tsx';
import { OutgoingRow, QueuedRow, UserRow } from './message-rows.tsx';
import { ThinkingRow } from './thinking-row.tsx';
import { WorkingRow } from './working-row.tsx';

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
