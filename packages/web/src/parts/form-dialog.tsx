// A dialog with a form: Enter sends it, and what goes wrong is said below the fields. What was typed is not lost by a slip:
// neither by a click beside it, nor by a reload without a question.
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog, type DialogProps } from '../controls/dialog.tsx';
import { useUnsaved } from '../storage/unsaved-changes.ts';
import { ErrorNote } from './error-note.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'note' | 'width'> {
  submitLabel: string;
  busy: boolean;
  disabled?: boolean | undefined;
  /** What was thrown at the last attempt, and what that means. */
  error?: unknown;
  errorTitle: string;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

export const lostWords = 'Escape once more discards what you wrote.';

export function FormDialog(props: FormDialogProps) {
  const form = useId();
  const [isChanged, setIsChanged] = useState(false);
  useUnsaved(isChanged);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onSubmit();
  };
  const footer = (
    <>
      <Button onClick={props.onClose}>Cancel</Button>
      <Button variant="primary" type="submit" form={form} busy={props.busy} disabled={props.disabled}>
        {props.submitLabel}
      </Button>
    </>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => open || props.onClose()}
      title={props.title}
      note={props.note}
      width={props.width}
      footer={footer}
      warning={isChanged ? lostWords : undefined}
    >
      <form id={form} onSubmit={submit} onChange={() => setIsChanged(true)} className="flex flex-col gap-4">
        {props.children}
        {props.error !== undefined && props.error !== null && (
          <ErrorNote error={props.error} title={props.errorTitle} />
        )}
      </form>
    </Dialog>
  );
}
