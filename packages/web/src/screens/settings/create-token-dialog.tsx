// Makes a token and shows its secret, once.
import { useQueryClient } from '@tanstack/react-query';
import type { CreatedToken } from '@toolyard/sdk';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { Field, TextField } from '../../controls/field.tsx';
import { Select } from '../../controls/select.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { tokensKey } from '../../queries/actor-names.ts';
import { useRoles } from '../../queries/tools-data.ts';

type Kind = 'agent' | 'person';
type Lifetime = '7' | '30' | '90' | '365' | 'never';

const kinds = [
  { value: 'agent', label: 'An agent', note: 'Calls the tools of its role over MCP, and nothing else' },
  { value: 'person', label: 'A person', note: 'May do all that you may' },
] as const;
const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: 'never', label: 'until it is revoked' },
] as const;

export function CreateTokenDialog({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<CreatedToken>();
  const queries = useQueryClient();
  if (created) return <Secret token={created} onClose={onClose} />;
  return (
    <TokenForm
      onClose={onClose}
      onCreated={(token) => {
        setCreated(token);
        void queries.invalidateQueries({ queryKey: tokensKey });
      }}
    />
  );
}

function TokenForm({ onClose, onCreated }: { onClose(): void; onCreated(token: CreatedToken): void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('agent');
  const [role, setRole] = useState('assistant');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const { busy, error, send } = useSending();
  const create = async () => {
    const days = lifetime === 'never' ? {} : { expiresInDays: Number(lifetime) };
    await send(async () =>
      onCreated(await client.tokens.create({ name, kind, ...days, ...(kind === 'agent' && { role }) })),
    );
  };
  return (
    <FormDialog
      title="New token"
      width="small"
      submitLabel="Make it"
      busy={busy}
      disabled={name.trim() === ''}
      error={error}
      errorTitle="It was not made"
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        note="So that you know it again"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field label="For">
        {({ id }) => <Select<Kind> id={id} value={kind} options={kinds} onChange={setKind} />}
      </Field>
      {kind === 'agent' && <RoleField role={role} onChange={setRole} />}
      <Field label="Holds for">
        {({ id }) => <Select<Lifetime> id={id} value={lifetime} options={lifetimes} onChange={setLifetime} />}
      </Field>
    </FormDialog>
  );
}

function RoleField({ role, onChange }: { role: string; onChange(role: string): void }) {
  const roles = useRoles().data?.items ?? [];
  const options = roles.map((one) => ({ value: one.name, label: one.name, note: one.description }));
  return (
    <Field label="Role" note="It gets the tools of this role">
      {({ id, describedBy }) => (
        <Select id={id} describedBy={describedBy} value={role} options={options} onChange={onChange} />
      )}
    </Field>
  );
}

function useSending() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function send(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  }
  return { busy, error, send };
}

function Secret({ token, onClose }: { token: CreatedToken; onClose(): void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      begin="content"
      warning="Escape once more if you have copied it."
      title="Copy it now"
      note="This is the only time that it is shown. Toolyard keeps its hash alone."
      width="small"
      footer={
        <Button variant="primary" onClick={onClose}>
          I have it
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-lg border bg-sunken p-2.5">
        <code className="min-w-0 flex-1 font-mono text-13 wrap-anywhere select-all">{token.secret}</code>
        <CopyButton text={token.secret} label="Copy the token" />
      </div>
    </Dialog>
  );
}
