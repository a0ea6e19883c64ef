// Form fields: a label that is tied to its input, what it is for, and what is wrong with it.
import { clsx } from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

export const inputClasses =
  'w-full min-w-0 rounded-lg border bg-raised px-3 text-sm text-ink placeholder:text-faint ' +
  'focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-50 ' +
  'aria-invalid:border-bad';

export interface FieldProps {
  label: ReactNode;
  note?: ReactNode;
  error?: ReactNode;
  /** The label is there for those who do not see; something else says it to those who do. */
  hideLabel?: boolean | undefined;
  className?: string | undefined;
}

export interface FieldIds {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

/** For any input: the child gets the ids that tie it to label, note and error. */
export function Field({
  label,
  note,
  error,
  hideLabel,
  className,
  children,
}: FieldProps & { children(ids: FieldIds): ReactNode }) {
  const id = useId();
  const describedBy = clsx(note && `${id}-note`, error && `${id}-error`) || undefined;
  return (
    <div className={clsx('flex flex-col gap-1', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-13 font-medium text-soft'}>
        {label}
      </label>
      {children({ id, describedBy, invalid: Boolean(error) })}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-13 text-bad">
          {error}
        </p>
      )}
      {note && (
        <p id={`${id}-note`} className="text-13 text-faint">
          {note}
        </p>
      )}
    </div>
  );
}

export type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'id'>;

export function TextField({ label, note, error, hideLabel, className, ...input }: TextFieldProps) {
  return (
    <Field label={label} note={note} error={error} hideLabel={hideLabel} className={className}>
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          autoComplete="off"
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className={clsx(inputClasses, 'h-8.5')}
          {...input}
        />
      )}
    </Field>
  );
}

export type TextAreaProps = FieldProps & Omit<ComponentProps<'textarea'>, 'id'> & { mono?: boolean };

export function TextArea({ label, note, error, hideLabel, className, mono, ...input }: TextAreaProps) {
  return (
    <Field label={label} note={note} error={error} hideLabel={hideLabel} className={className}>
      {({ id, describedBy, invalid }) => (
        <textarea
          id={id}
          rows={3}
          dir="auto"
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className={clsx(inputClasses, 'py-2', mono && 'font-mono text-13')}
          {...input}
        />
      )}
    </Field>
  );
}
