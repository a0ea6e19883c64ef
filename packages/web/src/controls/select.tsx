// One of several values, each with room for a line of explanation. Radix' own select writes HTML, which the server's
// policy forbids; this one is a list in a popover.
import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useId, useState } from 'react';
import { popover } from './menu.tsx';
import { OptionList, type SelectOption } from './option-list.tsx';

export type { SelectOption };

export interface SelectProps<Value extends string> {
  /** Its name, unless a label stands beside it (then give the label's `htmlFor` as `id`). */
  label?: string | undefined;
  id?: string | undefined;
  value: Value;
  options: readonly SelectOption<Value>[];
  onChange(value: Value): void;
  size?: 'small' | 'medium' | undefined;
  disabled?: boolean | undefined;
  describedBy?: string | undefined;
  className?: string | undefined;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const [open, setOpen] = useState(false);
  const listId = useId();
  const choose = (value: Value) => {
    setOpen(false);
    if (value !== props.value) props.onChange(value);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <SelectTrigger {...props} listId={open ? listId : undefined} onOpen={() => setOpen(true)} />
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          role="presentation"
          className={clsx(
            popover,
            'max-h-[min(24rem,var(--radix-popover-content-available-height))] max-w-[min(28rem,92vw)] min-w-(--radix-popover-trigger-width) overflow-y-auto',
          )}
        >
          <OptionList
            id={listId}
            label={props.label ?? 'Choices'}
            value={props.value}
            options={props.options}
            onChoose={choose}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface SelectTriggerProps extends Omit<SelectProps<string>, 'onChange'> {
  listId: string | undefined;
  onOpen(): void;
}

function SelectTrigger(props: SelectTriggerProps) {
  const chosen = props.options.find(({ value }) => value === props.value);
  return (
    <Popover.Trigger
      id={props.id}
      role="combobox"
      aria-label={props.label}
      aria-haspopup="listbox"
      aria-controls={props.listId}
      aria-describedby={props.describedBy}
      disabled={props.disabled}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        props.onOpen();
      }}
      className={clsx(
        'inline-flex min-w-0 cursor-pointer items-center gap-1.5 rounded-lg border bg-raised text-left hover:bg-hover',
        'disabled:cursor-default disabled:opacity-50 pointer-coarse:min-h-10',
        props.size === 'small' ? 'h-7 px-2 text-13' : 'h-8.5 px-3 text-sm',
        props.className,
      )}
    >
      <span className="min-w-0 flex-1 truncate">{chosen?.label ?? props.value}</span>
      <ChevronDown className="size-3.5 shrink-0 text-faint" aria-hidden="true" />
    </Popover.Trigger>
  );
}
