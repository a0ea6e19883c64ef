// Before the first word.
import { type Session, toVisibleLine } from '@toolyard/sdk';
import { MessagesSquare } from 'lucide-react';
import { EmptyState } from '../../parts/empty-state.tsx';

export function NewConversation({ session }: { session: Session | undefined }) {
  return (
    <EmptyState
      icon={<MessagesSquare />}
      title="Nothing said yet"
      note={
        session && (
          <>
            You talk to the role <strong className="font-medium">{toVisibleLine(session.role)}</strong> in{' '}
            <code className="font-mono text-13 wrap-anywhere">{toVisibleLine(session.cwd)}</code>.
          </>
        )
      }
    />
  );
}
