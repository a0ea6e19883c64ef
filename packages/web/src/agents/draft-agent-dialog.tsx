// Drafts an agent of one's own: who, what for, with how much, and where.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DraftAgent } from '@toolyard/sdk';
import { useId, useState } from 'react';
import { client } from '../connection/client.ts';
import { Field, TextArea, TextField } from '../controls/field.tsx';
import { Select } from '../controls/select.tsx';
import { useToast } from '../controls/toast.tsx';
import { useRoles } from '../new-session/choices.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useTasks } from '../queries/agents.ts';
import { keys } from '../queries/keys.ts';
import { type DraftErrors, type DraftForm, toDraft, validateDraft } from './draft-form.ts';
import { nameAgent } from './format-agent.ts';

const isolations = [
  { value: 'none', label: 'Here', note: 'In the directory that the server works in' },
  { value: 'worktree', label: 'Worktree', note: 'A git worktree and a branch of its own; the branch stays' },
  { value: 'worktree-keep', label: 'Worktree, kept', note: 'The same, and its directory stays, too' },
] as const;

export function DraftAgentDialog({ task = '', onClose }: { task?: string; onClose(): void }) {
  const [form, setForm] = useState<DraftForm>({
    role: 'developer',
    prompt: '',
    task,
    budget: '',
    isolation: 'none',
  });
  const [isTried, setIsTried] = useState(false);
  const set = (part: Partial<DraftForm>) => setForm((before) => ({ ...before, ...part }));
  const draft = useDraft(onClose);
  const wrong = validateDraft(form);
  const submit = () => {
    setIsTried(true);
    if (Object.keys(wrong).length === 0) draft.mutate(toDraft(form));
  };
  return (
    <FormDialog
      title="Draft an agent"
      note="It works by itself, sees nothing but its role and your prompt, and reports when it is done."
      submitLabel="Draft"
      busy={draft.isPending}
      error={draft.error}
      errorTitle="It was not drafted"
      onSubmit={submit}
      onClose={onClose}
    >
      <DraftFields form={form} wrong={isTried ? wrong : {}} onChange={set} />
    </FormDialog>
  );
}

interface DraftFieldsProps {
  form: DraftForm;
  wrong: DraftErrors;
  onChange(part: Partial<DraftForm>): void;
}

function DraftFields({ form, wrong, onChange }: DraftFieldsProps) {
  return (
    <>
      <TextArea
        label="Prompt"
        note="All it needs to know, and what it is to deliver."
        rows={4}
        value={form.prompt}
        error={wrong.prompt}
        onChange={(event) => onChange({ prompt: event.target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <RoleField value={form.role} onChange={(role) => onChange({ role })} />
        <TaskField value={form.task} error={wrong.task} onChange={(value) => onChange({ task: value })} />
        <TextField
          label="Budget in dollars"
          inputMode="decimal"
          placeholder="What its run may spend"
          value={form.budget}
          error={wrong.budget}
          onChange={(event) => onChange({ budget: event.target.value })}
        />
        <Field label="Where it works">
          {({ id }) => (
            <Select
              id={id}
              value={form.isolation}
              options={isolations}
              onChange={(isolation) => onChange({ isolation })}
            />
          )}
        </Field>
      </div>
    </>
  );
}

function RoleField({ value, onChange }: { value: string; onChange(role: string): void }) {
  const { data } = useRoles();
  const options = (data?.items ?? []).map(({ name, description }) => ({
    value: name,
    label: name,
    note: description,
  }));
  return (
    <Field label="Role">
      {({ id }) => <Select id={id} value={value} options={options} onChange={onChange} />}
    </Field>
  );
}

interface TaskFieldProps {
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

function TaskField({ value, error, onChange }: TaskFieldProps) {
  const listId = useId();
  const tasks = (useTasks('open').data?.pages ?? []).flatMap(({ items }) => items);
  return (
    <div>
      <TextField
        label="Task"
        list={listId}
        placeholder="Made from the prompt"
        spellCheck={false}
        value={value}
        error={error}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {tasks.map(({ slug }) => (
          <option key={slug} value={slug} />
        ))}
      </datalist>
    </div>
  );
}

function useDraft(onDone: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (wanted: DraftAgent) => client.agents.draft(wanted),
    onSuccess(agent) {
      toast({ tone: 'good', title: `Drafted ${nameAgent(agent)}`, note: `It works on ${agent.taskSlug}.` });
      onDone();
    },
    onSettled: () =>
      Promise.all([keys.agents, keys.tasks].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
