// Calls a tool as the person who is logged in: judged, asked about and audited like any other call.
import { Link } from '@tanstack/react-router';
import type { ListedTool, PermissionMode, Role } from '@toolyard/sdk';
import { CirclePlay, Square } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { ApprovalCard } from '../../approvals/approval-card.tsx';
import { Button } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Field } from '../../controls/field.tsx';
import { Select } from '../../controls/select.tsx';
import { Spinner } from '../../controls/spinner.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Code, InlineCode } from '../../parts/code.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { modes } from '../../queries/modes.ts';
import { TextExcerpt } from '../../text/text-excerpt.tsx';
import { type CallResult, useToolCall } from './tool-call.ts';
import { ToolForm } from './tool-form.tsx';

export interface TryToolProps {
  tool: ListedTool;
  roles: readonly Role[];
  /** Has somebody typed what was not sent? */
  onTyped(isTyped: boolean): void;
}

export function TryTool({ tool, roles, onTyped }: TryToolProps) {
  const [chosen, setRole] = useState<string>();
  // Roles become known one by one, perhaps none of them at first.
  const role = chosen ?? roles[0]?.name ?? '';
  const [mode, setMode] = useState<PermissionMode>('default');
  const call = useToolCall(tool.name);
  if (tool.engine)
    return <p className="text-sm text-soft">Nobody but the engine {tool.engine} can call it.</p>;
  if (roles.length === 0)
    return <p className="text-sm text-soft">No role has this tool, so it cannot be called.</p>;
  return (
    <div className="flex flex-col gap-4 pb-2">
      <p className="max-w-prose text-13 text-faint">
        It really runs, as you, with what the role may do. It is judged and written into the audit like any
        call.
      </p>
      <div className="flex flex-wrap gap-3">
        <Field label="As the role" className="min-w-40">
          {({ id }) => (
            <Select
              id={id}
              value={role}
              options={roles.map(({ name }) => ({ value: name, label: name }))}
              onChange={setRole}
            />
          )}
        </Field>
        <Field label="In the mode" className="min-w-40">
          {({ id }) => <Select<PermissionMode> id={id} value={mode} options={modes} onChange={setMode} />}
        </Field>
      </div>
      <ToolForm
        schema={tool.inputSchema}
        disabled={call.state.kind === 'running'}
        onChange={() => onTyped(true)}
        onSubmit={(input) => {
          onTyped(false);
          void call.run({ input, role, mode });
        }}
        submit={
          <Button
            type="submit"
            variant="primary"
            icon={<CirclePlay className="size-4" />}
            busy={call.state.kind === 'running'}
          >
            Call it
          </Button>
        }
      />
      <Outcome call={call} />
    </div>
  );
}

function Outcome({ call: { state, approval, stop } }: { call: ReturnType<typeof useToolCall> }) {
  const asked = useRef<HTMLDivElement>(null);
  const approvalId = approval?.id;
  // What waits for an answer must be seen to: the form above it may fill the dialog.
  useLayoutEffect(() => {
    if (approvalId) asked.current?.scrollIntoView({ block: 'start' });
  }, [approvalId]);
  return (
    <div aria-live="polite" className="flex flex-col gap-3">
      {approval && (
        <div ref={asked} className="scroll-mt-3">
          <ApprovalCard key={approval.id} approval={approval} />
        </div>
      )}
      {state.kind === 'running' && (
        <div className="flex items-center gap-3">
          <Spinner label={approval?.state === 'pending' ? 'It waits for your answer' : 'Under way'} />
          <Button size="small" icon={<Square className="size-3" />} onClick={stop}>
            Stop
          </Button>
        </div>
      )}
      {state.kind === 'failed' && <ErrorNote error={state.error} title="It was not called" />}
      {state.kind === 'stopped' && (
        <p className="text-sm text-soft">You stopped it. What it had begun may be done.</p>
      )}
      {state.kind === 'answered' && <Result result={state.result} />}
    </div>
  );
}

function Result({ result: { isError, text, output, sessionId, broke } }: { result: CallResult }) {
  const shown = output === null || output === undefined ? text : JSON.stringify(output, undefined, 2);
  return (
    <section aria-label="What it answered" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-semibold">It answered</h3>
        {isError ? <Badge tone="bad">failed</Badge> : <Badge tone="good">done</Badge>}
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          className="text-13 text-soft underline underline-offset-2 hover:text-ink"
        >
          In its session
        </Link>
        <Link
          to="/audit"
          search={{ sessionId }}
          className="text-13 text-soft underline underline-offset-2 hover:text-ink"
        >
          In the audit
        </Link>
      </div>
      <Code text={shown} copy label="Answer" />
      {broke && <Broke {...broke} />}
    </section>
  );
}

/** What no model is told: why the tool itself broke. */
function Broke({ cause, logId }: NonNullable<CallResult['broke']>) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-13 font-medium">Why it broke (the agent is not told)</p>
      <TextExcerpt text={cause} isStrict label="Why it broke" />
      <p className="flex flex-wrap items-center gap-1.5 text-13 text-soft">
        More is in the server’s log, at <InlineCode text={logId} />
        <CopyButton text={logId} label="Copy the id in the log" />
      </p>
    </div>
  );
}
