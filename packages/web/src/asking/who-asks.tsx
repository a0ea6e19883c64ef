// Who asks: the role, its session, and how far below the session that a person opened.
import { Link } from '@tanstack/react-router';
import { type Lineage, type Session, toVisibleLine } from '@toolyard/sdk';

export interface WhoAsksProps {
  sessionId: string;
  lineage: Lineage;
  session: Session | undefined;
}

export function WhoAsks({ sessionId, lineage, session }: WhoAsksProps) {
  return (
    <span className="wrap-anywhere">
      <span className="font-medium text-ink">{session ? toVisibleLine(session.role) : 'An agent'}</span> in{' '}
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId }}
        className="underline decoration-faint/50 underline-offset-2 hover:text-ink"
      >
        {session?.title ? toVisibleLine(session.title) : sessionId}
      </Link>
      {lineage.depth > 0 && `, an agent ${lineage.depth} below the session that you opened`}
    </span>
  );
}
