// A new task: its slug and what it is about.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Slug } from '@toolyard/sdk';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { TextArea, TextField } from '../../controls/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { keys } from '../../queries/keys.ts';

export function CreateTaskDialog({ onClose }: { onClose(): void }) {
  const [slug, setSlug] = useState('');
  const [description, setDescription] = useState('');
  const [isTried, setIsTried] = useState(false);
  const create = useCreate(onClose);
  const name = slug.trim();
  const isRight = Slug.safeParse(name).success;
  const submit = () => {
    setIsTried(true);
    if (isRight) create.mutate({ slug: name, description: description.trim() });
  };
  return (
    <FormDialog
      title="New task"
      note="Its slug names it for good: in commands, in tools, on branches."
      submitLabel="Create"
      busy={create.isPending}
      error={create.error}
      errorTitle="It was not made"
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Slug"
        placeholder="checkout"
        spellCheck={false}
        value={slug}
        error={
          isTried && !isRight && 'Use 1 to 64 lower-case letters, digits and dashes, starting with a letter.'
        }
        onChange={(event) => setSlug(event.target.value)}
      />
      <TextArea
        label="Description"
        note="What the next agent should know of it."
        maxLength={4_000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}

function useCreate(onDone: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: client.tasks.create,
    onSuccess({ slug }) {
      onDone();
      void navigate({ to: '/tasks/$slug', params: { slug } });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tasks }),
  });
}
