// A dialog: one question or form in front of everything else. On a phone it comes from below.
import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { AlertDialog, Dialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { useReturnFocus } from './return-focus.ts';

export const overlayClasses = 'veil fixed inset-0 z-40 bg-black/40';
export const sheetClasses =
  'sheet fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] flex-col rounded-t-2xl border bg-raised shadow-2xl ' +
  'outline-none sm:inset-x-auto sm:top-1/2 sm:bottom-auto sm:left-1/2 sm:max-h-[86dvh] sm:w-[calc(100vw-3rem)] ' +
  'sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-2xl';

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  note?: ReactNode;
  /** Buttons, at the end of which stands the one that does it. */
  footer?: ReactNode;
  width?: 'small' | 'medium' | 'large' | undefined;
  /** Where the focus begins: at the first field, or, in one that is read, at the whole. */
  begin?: 'first' | 'content' | undefined;
  /** Something would be lost with it: a click beside it does not close it, and the first Escape only says this. */
  warning?: string | undefined;
  children?: ReactNode;
}

const widths = { small: 'sm:max-w-md', medium: 'sm:max-w-xl', large: 'sm:max-w-4xl' };

export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, note, footer, width = 'medium', begin, warning, children } = props;
  const returnFocus = useReturnFocus(begin);
  const { isWarned, hold, ...holding } = useHolding(warning !== undefined);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClasses} onMouseDown={hold} />
        <Radix.Content
          className={clsx(sheetClasses, widths[width])}
          {...returnFocus}
          {...holding}
          onInteractOutside={hold}
          {...(!note && { 'aria-describedby': undefined })}
        >
          <header className="py-4 pr-14 pb-1 pl-5">
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            {note && <Radix.Description className="mt-0.5 text-sm text-soft">{note}</Radix.Description>}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-3">{children}</div>
          {(footer || isWarned) && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-5 py-3">
              {isWarned && (
                <p role="status" className="mr-auto text-sm text-warn">
                  {warning}
                </p>
              )}
              {footer}
            </footer>
          )}
          <CloseButton />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** For the content of a dialog that is not to be closed by mistake. */
function useHolding(isHeld: boolean) {
  const [isWarned, setIsWarned] = useState(false);
  return {
    isWarned: isHeld && isWarned,
    /** A click beside it neither closes it nor takes the focus out of a field. */
    hold(event: { preventDefault(): void }) {
      if (isHeld) event.preventDefault();
    },
    onEscapeKeyDown(event: KeyboardEvent) {
      if (!isHeld || isWarned) return;
      event.preventDefault();
      setIsWarned(true);
    },
    // Whoever writes on has changed their mind.
    onInput: () => setIsWarned(false),
  };
}

/** The last in the order, so that the focus begins at the first field; no tooltip, which would take the first Escape. */
function CloseButton() {
  return (
    <Radix.Close
      aria-label="Close"
      className="absolute top-3 right-3 flex size-8 cursor-pointer items-center justify-center rounded-lg text-faint hover:bg-hover hover:text-ink"
    >
      <X className="size-4" aria-hidden="true" />
    </Radix.Close>
  );
}

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  /** What will happen, and whether it can be undone. */
  note: ReactNode;
  confirmLabel: string;
  danger?: boolean | undefined;
  /** The dialog closes when it resolves; what it throws stays for the caller's own toast. */
  onConfirm(): Promise<void> | void;
}

/** Focus begins on "Cancel". */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const returnFocus = useReturnFocus();
  const confirm = async () => {
    setBusy(true);
    try {
      await props.onConfirm();
      props.onOpenChange(false);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open={props.open} onOpenChange={props.onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={overlayClasses} />
        <AlertDialog.Content className={clsx(sheetClasses, widths.small)} {...returnFocus}>
          <div className="px-5 pt-4 pb-3">
            <AlertDialog.Title className="text-base font-semibold">{props.title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="mt-1 text-sm text-soft">{props.note}</div>
            </AlertDialog.Description>
          </div>
          <footer className="flex justify-end gap-2 px-5 pt-2 pb-4">
            <AlertDialog.Cancel asChild>
              <Button>Cancel</Button>
            </AlertDialog.Cancel>
            <Button variant={props.danger ? 'danger' : 'primary'} busy={busy} onClick={() => void confirm()}>
              {props.confirmLabel}
            </Button>
          </footer>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
