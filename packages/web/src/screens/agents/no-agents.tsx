// No agents yet: how they come to be, and two ways to begin.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { client } from '../../connection/client.ts';
import { useProgram } from '../../connection/health.ts';
import { toProblem } from '../../connection/problems.ts';
import { Button } from '../../controls/button.tsx';
import { useToast } from '../../controls/toast.tsx';
import { Code } from '../../parts/code.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { keepSession } from '../../queries/sessions.ts';

export function NoAgents({ onDraft }: { onDraft(): void }) {
  const command = `${useProgram()} run --role coordinator --task checkout "Plan and do the checkout"`;
  return (
    <EmptyState
      icon={<Bot />}
      title="No agents yet"
      note={
        <div className="flex flex-col gap-3">
          <p>
            A coordinator divides work and drafts agents for its pieces; you see all of them here. Talk to
            one, draft an agent yourself, or begin in a terminal:
          </p>
          <Code text={command} copy label="The command" className="text-left" />
        </div>
      }
      actions={
        <>
          <CoordinatorButton />
          <Button onClick={onDraft}>Draft an agent</Button>
        </>
      }
    />
  );
}

/** A new session in which a coordinator waits for its goal. */
export function CoordinatorButton() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const create = useMutation({
    mutationFn: () => client.sessions.create({ role: 'coordinator' }),
    onSuccess(session) {
      keepSession(queries, session);
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
    },
    onError: (error) =>
      toast({ tone: 'bad', title: 'It could not be opened', note: toProblem(error).message }),
  });
  return (
    <Button busy={create.isPending} onClick={() => create.mutate()}>
      Talk to a coordinator
    </Button>
  );
}
