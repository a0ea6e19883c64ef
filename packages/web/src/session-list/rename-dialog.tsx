// Another title for a session.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Session } from '@toolyard/sdk';
import { useState } from 'react';
import { client } from '../connection/client.ts';
import { TextField } from '../controls/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { keepSession } from '../queries/sessions.ts';

export function RenameDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [title, setTitle] = useState(session.title);
  const queries = useQueryClient();
  const rename = useMutation({
    mutationFn: () => client.sessions.change(session.id, { title: title.trim() }),
    onSuccess(changed) {
      keepSession(queries, changed);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Rename session"
      width="small"
      submitLabel="Rename"
      busy={rename.isPending}
      disabled={title.trim() === ''}
      error={rename.error}
      errorTitle="It could not be renamed"
      onSubmit={() => (title.trim() === session.title ? onClose() : rename.mutate())}
      onClose={onClose}
    >
      <TextField
        label="Title"
        maxLength={200}
        value={title}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
      />
    </FormDialog>
  );
}
