// Buttons: one look for each weight of action. A busy button keeps its width and says so.
import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { Spinner } from './spinner.tsx';
import { Tooltip } from './tooltip.tsx';

export type ButtonVariant = 'primary' | 'plain' | 'ghost' | 'danger' | 'good';
export type ButtonSize = 'small' | 'medium' | 'large';

const base =
  'inline-flex shrink-0 cursor-pointer select-none items-center justify-center gap-1.5 rounded-lg font-medium ' +
  'whitespace-nowrap transition-colors duration-100 disabled:cursor-default disabled:opacity-50 ' +
  'aria-disabled:cursor-default aria-disabled:opacity-50 ' +
  // A finger needs more room than a pointer.
  'pointer-coarse:min-h-10 pointer-coarse:min-w-10';

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent enabled:hover:bg-accent-strong',
  plain: 'border bg-raised text-ink enabled:hover:bg-hover',
  ghost: 'text-soft enabled:hover:bg-hover enabled:hover:text-ink',
  danger: 'border border-bad/40 bg-raised text-bad enabled:hover:bg-bad-wash',
  good: 'border border-good/40 bg-raised text-good enabled:hover:bg-good-wash',
};

const sizes: Record<ButtonSize, string> = {
  small: 'h-7 px-2.5 text-13',
  medium: 'h-8.5 px-3 text-sm',
  large: 'h-10 px-4 text-15',
};

const squares: Record<ButtonSize, string> = { small: 'size-7', medium: 'size-8.5', large: 'size-10' };

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  /** Stands before the text. */
  icon?: ReactNode;
  /** Shows that it works on it, and takes no further press. */
  busy?: boolean | undefined;
}

export function Button({
  variant = 'plain',
  size = 'medium',
  icon,
  busy,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      disabled={disabled || busy}
      className={clsx(base, variants[variant], sizes[size], className)}
      {...rest}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'icon'> {
  /** Its name, for those who do not see the icon; also its tooltip. */
  label: string;
  side?: 'top' | 'right' | 'bottom' | 'left' | undefined;
  shortcut?: string | undefined;
}

/** The child is the icon. */
export function IconButton({
  label,
  side,
  shortcut,
  variant = 'ghost',
  size = 'medium',
  busy,
  className,
  children,
  disabled,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} side={side} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        aria-busy={busy || undefined}
        disabled={disabled || busy}
        className={clsx(base, variants[variant], squares[size], className)}
        {...rest}
      >
        {busy ? <Spinner /> : children}
      </button>
    </Tooltip>
  );
}
