// One row of evidence, all of it.
import { Link } from '@tanstack/react-router';
import { type AuditRow, toVisibleLine } from '@toolyard/sdk';
import type { ReactNode } from 'react';
import { InputView } from '../../approvals/input-view.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Badge } from '../../parts/badge.tsx';
import { toExactTime } from '../../parts/format-time.ts';
import { useActorNames } from '../../queries/actor-names.ts';
import { formatActor, formatChange, toOutcome } from './format-audit.ts';

export function AuditRowDialog({ row, onClose }: { row: AuditRow; onClose(): void }) {
  const outcome = toOutcome(row);
  const nameOf = useActorNames();
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      width="large"
      begin="content"
      title={`Row ${row.seq}`}
      note={`${row.kind}, ${toExactTime(row.at)}`}
      footer={<CopyRow row={row} />}
    >
      <dl className="grid gap-x-6 gap-y-2.5 text-sm sm:grid-cols-[9rem_1fr]">
        <Fact name="What">{row.tool ? <ToolTitle tool={row.tool} /> : formatChange(row)}</Fact>
        {outcome && (
          <Fact name="Outcome">
            <Badge tone={outcome.tone}>{outcome.word}</Badge>
          </Fact>
        )}
        {row.rule && <Fact name="Rule">{toVisibleLine(row.rule)}</Fact>}
        {row.effect && <Fact name="Effect">{row.effect}</Fact>}
        <Fact name="Who">
          {formatActor(row, nameOf)}, via {toVisibleLine(row.actor.via)} ({row.actor.kind}{' '}
          {toVisibleLine(row.actor.id)})
        </Fact>
        {row.sessionId && (
          <Fact name="Session">
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: row.sessionId }}
              className="font-mono text-xs underline underline-offset-2"
            >
              {row.sessionId}
            </Link>
            {row.lineage &&
              row.lineage.depth > 0 &&
              ` (an agent, ${row.lineage.depth} below ${row.lineage.rootSessionId})`}
          </Fact>
        )}
        <Id name="Turn" value={row.turnId} />
        <Id name="Call" value={row.toolCallId} />
        <Id name="Approval" value={row.approvalId} />
        <Id name="Grant" value={row.grantId} />
        {row.input !== undefined && (
          <Fact name="Input">
            <p className="mb-1 text-13 text-faint">Secrets are taken out; its hash is of the whole.</p>
            <InputView value={row.input} isStrict />
          </Fact>
        )}
        <Id name="Hash of the input" value={row.inputHash} />
        <Id name="Hash of the row" value={row.hash} />
        <Id name="Bound to" value={row.previousHash} />
      </dl>
    </Dialog>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-13 text-faint">{name}</dt>
      <dd className="min-w-0 wrap-anywhere max-sm:mb-1.5">{children}</dd>
    </>
  );
}

function Id({ name, value }: { name: string; value: string | undefined }) {
  if (!value) return null;
  return (
    <Fact name={name}>
      <span className="font-mono text-xs text-soft">{toVisibleLine(value)}</span>
    </Fact>
  );
}

function CopyRow({ row }: { row: AuditRow }) {
  return (
    <span className="flex items-center gap-1 text-13 text-soft">
      The row as JSON{' '}
      <CopyButton text={() => JSON.stringify(row, undefined, 2)} label="Copy the row as JSON" />
    </span>
  );
}
