// Whose agent it is that works in a session: under which one that a person opened, how deep, and on which task.
import { Link } from '@tanstack/react-router';
import { type Session, toVisibleLine } from '@toolyard/sdk';
import { toShortId } from '../queries/actor-names.ts';
import { toTitle } from '../queries/session-title.ts';
import { useSessionInfo } from '../queries/sessions.ts';

const link = 'underline decoration-faint/50 underline-offset-2 hover:text-ink';

export function AgentOrigin({ session }: { session: Session }) {
  const { agentId, depth = 0, taskSlug, rootSessionId } = session;
  if (!agentId) return taskSlug ? <TaskLink slug={taskSlug} /> : null;
  return (
    <>
      <span title={agentId}>{toShortId(agentId)}</span>
      {depth > 0 && <UnderRoot sessionId={rootSessionId} depth={depth} />}
      {taskSlug && <TaskLink slug={taskSlug} />}
    </>
  );
}

export function UnderRoot({ sessionId, depth }: { sessionId: string; depth: number }) {
  const { data: root } = useSessionInfo(sessionId);
  return (
    <span>
      {depth} below{' '}
      <Link to="/sessions/$sessionId" params={{ sessionId }} className={link}>
        {root ? toTitle(root) : 'the session that you opened'}
      </Link>
    </span>
  );
}

export function TaskLink({ slug }: { slug: string }) {
  return (
    <span>
      on{' '}
      <Link to="/tasks/$slug" params={{ slug }} className={link}>
        {toVisibleLine(slug)}
      </Link>
    </span>
  );
}
