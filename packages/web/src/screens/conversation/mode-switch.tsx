// The permission mode, switched while the agent works: it counts from the next call on.
import { useQueryClient } from '@tanstack/react-query';
import type { PermissionMode, Session } from '@toolyard/sdk';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import { useToast } from '../../parts/toast.tsx';
import { client } from '../../server/client.ts';
import { toProblem } from '../../server/problems.ts';
import { keepSession } from '../../server/sessions.ts';

const modes: { value: PermissionMode; label: string; note: string }[] = [
  { value: 'default', label: 'Ask', note: 'Each tool is asked about as its tier says' },
  {
    value: 'acceptEdits',
    label: 'Accept edits',
    note: 'Reads, writes in the workspace and delegates unasked',
  },
  { value: 'plan', label: 'Plan', note: 'Looks and plans; changes nothing' },
  { value: 'bypassPermissions', label: 'Bypass', note: 'Runs everything unasked' },
];

export function ModeSwitch({ session, mode }: { session: Session; mode: PermissionMode }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [wanted, setWanted] = useState<PermissionMode>();
  const [isConfirming, setIsConfirming] = useState(false);

  async function change(next: PermissionMode): Promise<void> {
    setWanted(next);
    try {
      keepSession(queries, await client.sessions.change(session.id, { mode: next }));
    } catch (thrown) {
      toast({ tone: 'bad', title: 'The mode could not be changed', note: toProblem(thrown).message });
    } finally {
      setWanted(undefined);
    }
  }

  return (
    <>
      <Select
        label="Permission mode"
        size="small"
        value={wanted ?? mode}
        options={modes}
        disabled={session.engine === 'direct'}
        onChange={(next) => {
          if (next === 'bypassPermissions') setIsConfirming(true);
          else if (next !== mode) void change(next);
        }}
        className={mode === 'bypassPermissions' ? 'border-bad/40 text-bad' : ''}
      />
      <ConfirmDialog
        open={isConfirming}
        onOpenChange={setIsConfirming}
        title="Run everything unasked?"
        note="In this session the agent may then read, write, execute and delegate without asking you. What its role may not do, protected files and limits still hold. You can switch back at any time."
        confirmLabel="Bypass permissions"
        danger
        onConfirm={() => change('bypassPermissions')}
      />
    </>
  );
}
