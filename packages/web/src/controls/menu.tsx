// A menu behind a button.
import { clsx } from 'clsx';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

export const popover =
  'pop z-50 overflow-hidden rounded-xl border bg-raised p-1 text-sm shadow-xl shadow-black/10 outline-none';
export const option =
  'flex min-h-8 cursor-pointer select-none items-center gap-2.5 rounded-lg px-2.5 py-1 outline-none ' +
  'data-disabled:cursor-default data-disabled:opacity-50 data-highlighted:bg-hover [&>svg]:size-4 [&>svg]:shrink-0';

export interface MenuProps {
  /** One button. */
  trigger: ReactNode;
  align?: 'start' | 'center' | 'end' | undefined;
  side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  onOpenChange?: ((isOpen: boolean) => void) | undefined;
  children: ReactNode;
}

export function Menu({ trigger, align = 'end', side = 'bottom', onOpenChange, children }: MenuProps) {
  return (
    <Radix.Root modal={false} {...(onOpenChange && { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={clsx(popover, 'max-h-(--radix-dropdown-menu-content-available-height) min-w-44')}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuItemProps {
  icon?: ReactNode;
  shortcut?: string | undefined;
  danger?: boolean | undefined;
  disabled?: boolean | undefined;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon, shortcut, danger, disabled, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item
      className={clsx(option, danger ? 'text-bad data-highlighted:bg-bad-wash' : '[&>svg]:text-faint')}
      disabled={disabled ?? false}
      onSelect={onSelect}
    >
      {icon}
      <span className="flex-1">{children}</span>
      {shortcut && <Kbd keys={shortcut} />}
    </Radix.Item>
  );
}

/** One of several: shows which one holds. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; icon?: ReactNode }[];
  onChange(value: Value): void;
}) {
  return (
    <Radix.RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(chosen) =>
        options.filter((one) => one.value === chosen).map((one) => onChange(one.value))
      }
    >
      <MenuLabel>{label}</MenuLabel>
      {options.map((one) => (
        <Radix.RadioItem key={one.value} value={one.value} className={clsx(option, '[&>svg]:text-faint')}>
          {one.icon}
          <span className="flex-1">{one.label}</span>
          <Radix.ItemIndicator className="text-accent">✓</Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-faint">{children}</Radix.Label>;
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}
