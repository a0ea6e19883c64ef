// Short notes about what just happened, with at most one thing to do. `ToastProvider` stands around the page;
// `useToast()` gives `toast({...})`, and the function it returns takes the toast away again.
import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';

export interface ToastContent {
  title: ReactNode;
  note?: ReactNode;
  tone?: 'neutral' | 'good' | 'bad' | undefined;
  action?: { label: string; onSelect(): void } | undefined;
  /** How long it stays; errors stay longer. */
  durationMs?: number | undefined;
}

type Show = (toast: ToastContent) => () => void;

const Context = createContext<Show>(() => () => {});

export function useToast(): Show {
  return useContext(Context);
}

const mostShown = 4;
const icons = { neutral: Info, good: CircleCheck, bad: CircleAlert };
const tones = { neutral: 'text-faint', good: 'text-good', bad: 'text-bad' };

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly (ToastContent & { id: number })[]>([]);
  const nextId = useRef(0);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Show>(
    (toast) => {
      nextId.current += 1;
      const id = nextId.current;
      setToasts((all) => [...all, { ...toast, id }].slice(-mostShown));
      return () => remove(id);
    },
    [remove],
  );
  return (
    <Context value={show}>
      <Radix.Provider swipeDirection="right" label="Note">
        {children}
        {toasts.map(({ id, ...toast }) => (
          <OneToast key={id} toast={toast} onClose={() => remove(id)} />
        ))}
        <Radix.Viewport className="fixed right-0 bottom-0 z-60 flex w-full flex-col gap-2 p-4 outline-none sm:w-96" />
      </Radix.Provider>
    </Context>
  );
}

function OneToast({ toast, onClose }: { toast: ToastContent; onClose(): void }) {
  const tone = toast.tone ?? 'neutral';
  const Icon = icons[tone];
  return (
    <Radix.Root
      duration={toast.durationMs ?? (tone === 'bad' ? 10_000 : 5_000)}
      type={tone === 'bad' ? 'foreground' : 'background'}
      onOpenChange={(open) => open || onClose()}
      className="toast flex items-center gap-2.5 rounded-xl border bg-raised p-3 shadow-xl shadow-black/10"
    >
      <Icon className={clsx('size-4.5 shrink-0 self-start mt-0.5', tones[tone])} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <Radix.Title className="text-sm font-medium wrap-anywhere">{toast.title}</Radix.Title>
        {toast.note && (
          <Radix.Description className="text-13 text-soft wrap-anywhere">{toast.note}</Radix.Description>
        )}
      </div>
      {toast.action && (
        <Radix.Action asChild altText={toast.action.label}>
          <Button size="small" onClick={toast.action.onSelect}>
            {toast.action.label}
          </Button>
        </Radix.Action>
      )}
      <Radix.Close asChild>
        <IconButton label="Close" size="small" className="-mr-1">
          <X className="size-4" />
        </IconButton>
      </Radix.Close>
    </Radix.Root>
  );
}
