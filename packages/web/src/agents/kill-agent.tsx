// Ends an agent and all that work under it, after saying how many those are.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Agent, toVisibleLine } from '@toolyard/sdk';
import { OctagonX } from 'lucide-react';
import { useState } from 'react';
import { client } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { IconButton } from '../controls/button.tsx';
import { ConfirmDialog } from '../controls/dialog.tsx';
import { useToast } from '../controls/toast.tsx';
import { useTree } from '../queries/agents.ts';
import { keys } from '../queries/keys.ts';
import { countLiveBelow } from './agent-tree.ts';
import { formatCount, nameAgent } from './format-agent.ts';

export function KillAgent({ agent }: { agent: Agent }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <IconButton label={`Kill ${nameAgent(agent)}`} size="small" onClick={() => setIsAsking(true)}>
        <OctagonX className="size-4 text-bad" />
      </IconButton>
      {isAsking && <KillDialog agent={agent} onClose={() => setIsAsking(false)} />}
    </>
  );
}

function KillDialog({ agent, onClose }: { agent: Agent; onClose(): void }) {
  const kill = useKill(agent.id);
  // Whoever drafted it may know nothing of those that it has drafted: the server does.
  const { data } = useTree(agent.rootSessionId);
  const liveDescendants = data && countLiveBelow(data.items, agent.id);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => open || onClose()}
      title={`Kill ${nameAgent(agent)}?`}
      note={
        <>
          It works on {toVisibleLine(agent.taskSlug)}. {formatBelow(liveDescendants)} Its processes end, and
          what it has not reported is lost. It cannot be undone.
        </>
      }
      confirmLabel={liveDescendants ? `Kill all ${liveDescendants + 1}` : 'Kill it'}
      danger
      onConfirm={kill}
    />
  );
}

function formatBelow(liveDescendants: number | undefined): string {
  if (liveDescendants === undefined) return 'Whoever works under it ends with it.';
  if (liveDescendants === 0) return 'Nobody works under it.';
  return `${formatCount(liveDescendants, 'agent works', 'agents work')} under it and ${liveDescendants === 1 ? 'ends' : 'end'} with it.`;
}

/** Never throws: how it went is told. */
function useKill(id: string): () => Promise<void> {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutateAsync } = useMutation({
    mutationFn: () => client.agents.kill(id),
    onSuccess: ({ success, message }) =>
      toast({
        tone: success ? 'good' : 'bad',
        title: success ? 'Killed' : 'Not all has ended',
        note: message,
      }),
    onError: (error) => toast({ tone: 'bad', title: 'It was not killed', note: toProblem(error).message }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.agents }),
  });
  return () =>
    mutateAsync().then(
      () => {},
      () => {},
    );
}
