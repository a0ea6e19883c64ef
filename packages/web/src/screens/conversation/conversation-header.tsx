// What this conversation is: its title, who answers, in which mode, and what it has used.
import { type PermissionMode, type Session, type SessionView, toVisibleLine } from '@toolyard/sdk';
import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { AgentOrigin } from '../../agents/agent-origin.tsx';
import { Skeleton } from '../../controls/spinner.tsx';
import { openDialog } from '../../navigation/dialogs.ts';
import { ModeSelect } from '../../new-session/mode-select.tsx';
import { useChangeMode } from '../../new-session/use-change-mode.ts';
import { Money, toCount } from '../../parts/amounts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { modes } from '../../queries/modes.ts';
import { toTitle } from '../../queries/session-title.ts';
import { ContextMeter } from './context-meter.tsx';
import { SessionMenu } from './session-menu.tsx';

export interface ConversationHeaderProps {
  sessionId: string;
  session: Session | undefined;
  view: SessionView;
}

export function ConversationHeader({ sessionId, session, view }: ConversationHeaderProps) {
  if (!session) {
    return (
      <header className="flex h-14 items-center border-b px-4">
        <Skeleton className="h-4 w-48" />
      </header>
    );
  }
  return (
    <header className="border-b bg-ground">
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 md:min-h-14">
        <div className="min-w-40 flex-1">
          <Title session={session} />
          <p className="flex items-center gap-1.5 truncate text-xs text-faint">
            <span className="font-medium text-soft">{toVisibleLine(session.role)}</span>
            <span aria-hidden="true">·</span>
            <span className="truncate" title={`${session.engine}, ${view.model ?? session.model}`}>
              {toVisibleLine(session.engine)} · {toVisibleLine(view.model ?? session.model)}
            </span>
            {!session.agentId && <AgentOrigin session={session} />}
            {session.origin === 'outside' && (
              <Badge title="Begun with the engine's own program">outside</Badge>
            )}
          </p>
          {session.agentId && (
            <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-faint">
              <Badge>agent</Badge>
              <AgentOrigin session={session} />
            </p>
          )}
        </div>
        <Used view={view} session={session} />
        <ContextMeter sessionId={sessionId} view={view} />
        <ModeSwitch session={session} mode={view.mode ?? session.mode} />
        <SessionMenu session={session} />
      </div>
      <Warnings session={session} />
    </header>
  );
}

function Title({ session }: { session: Session }) {
  return (
    <h1 className="min-w-0 text-15 font-semibold max-md:sr-only">
      <button
        type="button"
        title={`${toTitle(session)} (rename)`}
        onClick={() => openDialog({ kind: 'rename', session })}
        dir="auto"
        className="block max-w-full cursor-pointer truncate rounded text-start hover:text-accent"
      >
        {toTitle(session)}
      </button>
    </h1>
  );
}

function Used({ view, session }: { view: SessionView; session: Session }) {
  const { inputTokens, outputTokens, costUsd, knownUsd } = view.usage;
  if (inputTokens + outputTokens === 0) return null;
  // A session that goes on from elsewhere has a past that its own log does not count.
  const cost = costUsd === null || session.costUsd === null ? null : Math.max(costUsd, session.costUsd);
  return (
    <span
      className="flex items-center gap-2 text-xs text-soft tabular-nums max-sm:hidden"
      title={`${inputTokens.toLocaleString('en-US')} tokens in, ${outputTokens.toLocaleString('en-US')} tokens out`}
    >
      <span>{toCount(inputTokens + outputTokens)} tokens</span>
      <Money usd={cost} knownUsd={Math.max(costUsd ?? knownUsd ?? 0, session.knownUsd ?? 0)} zero="free" />
    </span>
  );
}

function Warnings({ session: { warnings = [] } }: { session: Session }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="flex flex-col gap-0.5 border-t bg-warn-wash px-4 py-1.5 text-13 text-warn">
      {warnings.map((warning) => (
        <li key={warning} className="flex items-start gap-2 wrap-anywhere">
          <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
          {toVisibleLine(warning)}
        </li>
      ))}
    </ul>
  );
}

/** The permission mode, switched while the agent works: it counts from the next call on. */
function ModeSwitch({ session, mode }: { session: Session; mode: PermissionMode }) {
  const changeMode = useChangeMode();
  const [wanted, setWanted] = useState<PermissionMode>();
  return (
    <ModeSelect
      label="Permission mode"
      size="small"
      value={wanted ?? mode}
      options={modes}
      disabled={session.engine === 'direct'}
      onChange={async (next) => {
        setWanted(next);
        await changeMode(session.id, next);
        setWanted(undefined);
      }}
    />
  );
}
