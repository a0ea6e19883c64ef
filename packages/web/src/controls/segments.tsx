// One of a few values, all of them in sight.
import { clsx } from 'clsx';
import { RadioGroup } from 'radix-ui';
import type { ReactNode } from 'react';

export interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: ReactNode }[];
  onChange(value: Value): void;
}

export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  return (
    <RadioGroup.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => {
        const found = options.find((option) => option.value === next);
        if (found) onChange(found.value);
      }}
      className="inline-flex h-8.5 items-center gap-0.5 rounded-lg border bg-sunken p-0.5"
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          className={clsx(
            'h-full cursor-pointer rounded-md px-2.5 text-13 text-soft hover:text-ink',
            'data-[state=checked]:bg-raised data-[state=checked]:font-medium data-[state=checked]:text-ink',
            'data-[state=checked]:shadow-xs data-[state=checked]:ring-1 data-[state=checked]:ring-line',
          )}
        >
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
