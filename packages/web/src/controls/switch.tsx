// On or off, at once.
import { Switch as Radix } from 'radix-ui';
import { type ReactNode, useId } from 'react';

export interface SwitchProps {
  label: ReactNode;
  note?: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean | undefined;
}

export function Switch({ label, note, checked, onChange, disabled }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled ?? false}
        aria-describedby={note ? `${id}-note` : undefined}
        className="mt-0.5 h-5 w-9 shrink-0 cursor-pointer rounded-full bg-faint transition-colors disabled:cursor-default disabled:opacity-50 data-[state=checked]:bg-accent"
      >
        <Radix.Thumb className="block size-4 translate-x-0.5 rounded-full bg-raised transition-transform data-[state=checked]:translate-x-4.5" />
      </Radix.Root>
      <div className="min-w-0">
        <label htmlFor={id} className="cursor-pointer text-sm">
          {label}
        </label>
        {note && (
          <p id={`${id}-note`} className="text-13 text-faint">
            {note}
          </p>
        )}
      </div>
    </div>
  );
}
