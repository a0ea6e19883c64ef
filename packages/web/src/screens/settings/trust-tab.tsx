// Trust: the workspaces of known sessions, and what trusting each as it is now would widen.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TrustCard } from './trust-card.tsx';

const maxSessions = 500;
const fewWorkspaces = 10;

/** Those of the newest sessions; the one that new sessions begin in comes first. */
function useWorkspaces() {
  return useQuery({
    queryKey: ['workspaces'],
    queryFn: async () => {
      const [current, sessions] = await Promise.all([
        client.trust.look().then(
          ({ workspace }) => [workspace],
          () => [],
        ),
        client.sessions.list({ limit: maxSessions }),
      ]);
      return [...new Set([...current, ...sessions.items.map(({ workspace }) => workspace)])];
    },
  });
}

export function TrustTab() {
  const { data, error, refetch } = useWorkspaces();
  const [shown, setShown] = useState(fewWorkspaces);
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-soft">
        A workspace brings its own files: configuration, roles, instructions. Until you trust them they can
        only narrow what agents do there. Trust holds for the files exactly as they are; any change takes it
        back.
      </p>
      {error && (
        <ErrorNote error={error} title="The workspaces could not be read" onRetry={() => void refetch()} />
      )}
      {!data && !error && <SkeletonLines count={5} label="Reading workspaces" />}
      {data?.slice(0, shown).map((workspace) => (
        <TrustCard key={workspace} workspace={workspace} />
      ))}
      {data && data.length > shown && (
        <div className="text-center">
          <Button onClick={() => setShown(shown + fewWorkspaces)}>Show more of {data.length}</Button>
        </div>
      )}
    </div>
  );
}
