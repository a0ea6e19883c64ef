// Says no, with a reason that the agent is told. The reason may stay empty.
import type { FormEvent } from 'react';
import { Button } from '../controls/button.tsx';
import { TextField } from '../controls/field.tsx';
import { type AnswerDraftFor, useAnswerDraft } from '../decision-cards/answer-drafts.ts';

export interface DenyFormProps {
  approval: AnswerDraftFor;
  isBusy: boolean;
  onDeny(reason: string): void;
  onBack(): void;
}

export function DenyForm({ approval, isBusy, onDeny, onBack }: DenyFormProps) {
  const [reason, setReason] = useAnswerDraft(approval);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDeny(reason.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <TextField
        label="Why not? The agent is told (optional)"
        value={reason}
        maxLength={2_000}
        autoFocus
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onBack();
        }}
        className="min-w-52 flex-1"
      />
      <Button onClick={onBack}>Back</Button>
      <Button type="submit" variant="danger" busy={isBusy}>
        Deny
      </Button>
    </form>
  );
}
