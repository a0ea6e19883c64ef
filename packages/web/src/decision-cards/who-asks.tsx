// Who asks: the role and its session; of an agent also its id, how far below the session that a person opened, and its task.
import { Link } from '@tanstack/react-router';
import { type Lineage, type Session, toVisibleLine } from '@toolyard/sdk';
import { TaskLink, UnderRoot } from '../agents/agent-origin.tsx';
import { toShortId } from '../queries/actor-names.ts';

export interface WhoAsksProps {
  sessionId: string;
  lineage: Lineage;
  session: Session | undefined;
}

export function WhoAsks({ sessionId, lineage, session }: WhoAsksProps) {
  const { agentId, depth, rootSessionId } = lineage;
  return (
    <span className="wrap-anywhere">
      <span className="font-medium text-ink">{session ? toVisibleLine(session.role) : 'An agent'}</span>
      {agentId && <span title={agentId}> {toShortId(agentId)}</span>} in{' '}
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId }}
        className="underline decoration-faint/50 underline-offset-2 hover:text-ink"
      >
        {session?.title ? toVisibleLine(session.title) : sessionId}
      </Link>
      {depth > 0 && (
        <>
          , <UnderRoot sessionId={rootSessionId} depth={depth} />
        </>
      )}
      {agentId && session?.taskSlug && (
        <>
          , <TaskLink slug={session.taskSlug} />
        </>
      )}
    </span>
  );
}
