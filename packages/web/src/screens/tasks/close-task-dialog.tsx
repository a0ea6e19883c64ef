// Closes a task, with what came of it. While somebody works on it the server says who.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Task } from '@toolyard/sdk';
import { useState } from 'react';
import { formatCount } from '../../agents/format-agent.ts';
import { client } from '../../connection/client.ts';
import { TextArea } from '../../controls/field.tsx';
import { useToast } from '../../controls/toast.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { keys } from '../../queries/keys.ts';

export function CloseTaskDialog({ task, onClose }: { task: Task; onClose(): void }) {
  const [outcome, setOutcome] = useState('');
  const close = useClose(task.slug, onClose);
  const busy =
    task.liveCount > 0
      ? ` ${formatCount(task.liveCount, 'dispatch still works', 'dispatches still work')} on it: await or kill them first.`
      : '';
  return (
    <FormDialog
      title={`Close ${task.slug}?`}
      note={`Nobody can be drafted to it afterwards, and its slug stays taken.${busy}`}
      submitLabel="Close it"
      width="small"
      busy={close.isPending}
      error={close.error}
      errorTitle="It was not closed"
      onSubmit={() => close.mutate(outcome.trim())}
      onClose={onClose}
    >
      <TextArea
        label="Outcome"
        note="Optional: what came of it, for whoever reads it later."
        maxLength={4_000}
        value={outcome}
        onChange={(event) => setOutcome(event.target.value)}
      />
    </FormDialog>
  );
}

function useClose(slug: string, onDone: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (outcome: string) => client.tasks.close(slug, outcome ? { outcome } : {}),
    onSuccess() {
      toast({ tone: 'good', title: `Closed ${slug}` });
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tasks }),
  });
}
