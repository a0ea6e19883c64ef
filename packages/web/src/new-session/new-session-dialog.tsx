// A new session, with everything that can be chosen.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CreateSession } from '@toolyard/sdk';
import { useState } from 'react';
import { client } from '../connection/client.ts';
import { TextField } from '../controls/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { keepSession } from '../queries/sessions.ts';
import { ChoiceFields } from './choice-fields.tsx';
import { noChoices, toCreate } from './choices.ts';

export function NewSessionDialog({ onClose }: { onClose(): void }) {
  const [choices, setChoices] = useState(noChoices);
  const [title, setTitle] = useState('');
  const create = useCreate(onClose);
  const wanted = { ...toCreate(choices), ...(title.trim() && { title: title.trim() }) };
  return (
    <FormDialog
      title="New session"
      note="Whatever you leave as it is, the server decides."
      submitLabel="Create"
      busy={create.isPending}
      error={create.error}
      errorTitle="It could not be created"
      onSubmit={() => create.mutate(wanted)}
      onClose={onClose}
    >
      <TextField
        label="Title"
        placeholder="Taken from your first message"
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <ChoiceFields choices={choices} onChange={setChoices} />
    </FormDialog>
  );
}

function useCreate(onDone: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: CreateSession) => client.sessions.create(wanted),
    onSuccess(session) {
      keepSession(queries, session);
      onDone();
      void navigate({ to: '/sessions/$sessionId', params: { sessionId: session.id } });
    },
  });
}
