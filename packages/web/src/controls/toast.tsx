// Short notes about what just happened, with at most one thing to do. `ToastProvider` stands around the page;
// `useToast()` gives `toast({...})`, and the function it returns takes the toast away again. They stand where nothing is
// to be answered or sent: over the foot of the side, on a phone at the top.
import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { useMedia } from '../browser-apis/use-media.ts';
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

type Shown = ToastContent & { id: number };

const maxShown = 4;
const icons = { neutral: Info, good: CircleCheck, bad: CircleAlert };
const tones = { neutral: 'text-faint', good: 'text-good', bad: 'text-bad' };

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([]);
  const nextId = useRef(0);
  const isWide = useMedia('(width >= 48rem)');
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Show>(
    (toast) => {
      nextId.current += 1;
      const id = nextId.current;
      setToasts((all) => limit([...all, { ...toast, id }]));
      return () => remove(id);
    },
    [remove],
  );
  return (
    <Context value={show}>
      <Radix.Provider swipeDirection={isWide ? 'left' : 'up'} label="Note">
        {children}
        {toasts.map(({ id, ...toast }) => (
          <OneToast key={id} toast={toast} onClose={() => remove(id)} />
        ))}
        <Radix.Viewport className="pointer-events-none fixed top-12 left-0 z-60 flex max-h-[calc(100dvh-3rem)] w-full flex-col gap-2 overflow-y-auto p-3 pb-8 outline-none md:top-auto md:bottom-11 md:w-72 md:pb-3" />
      </Radix.Provider>
    </Context>
  );
}

/** One with something to do may be the only way to it, and stays its time; of the others the newest are shown. */
function limit(all: readonly Shown[]): Shown[] {
  const room = Math.max(1, maxShown - all.filter(({ action }) => action).length);
  const others = all.filter(({ action }) => !action).slice(-room);
  return all.filter((toast) => toast.action || others.includes(toast));
}

function OneToast({ toast, onClose }: { toast: ToastContent; onClose(): void }) {
  const tone = toast.tone ?? 'neutral';
  const Icon = icons[tone];
  return (
    <Radix.Root
      duration={toast.durationMs ?? (tone === 'bad' ? 10_000 : 5_000)}
      type={tone === 'bad' ? 'foreground' : 'background'}
      onOpenChange={(open) => open || onClose()}
      className="toast pointer-events-auto flex items-center gap-2.5 rounded-xl border bg-raised p-3 shadow-xl shadow-black/10"
    >
      <Icon className={clsx('mt-px size-4.5 shrink-0 self-start', tones[tone])} aria-hidden="true" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-2">
        <div className="min-w-0 flex-1 basis-36">
          <Radix.Title className="text-sm font-medium wrap-anywhere">{toast.title}</Radix.Title>
          {toast.note && (
            <Radix.Description className="text-13 text-soft wrap-anywhere">{toast.note}</Radix.Description>
          )}
        </div>
        {toast.action && (
          <Radix.Action asChild altText={toast.action.label}>
            <Button size="small" className="-my-1 md:my-0" onClick={toast.action.onSelect}>
              {toast.action.label}
            </Button>
          </Radix.Action>
        )}
      </div>
      <Radix.Close asChild>
        <IconButton label="Close" size="small" className="-my-1 -mr-1 self-start">
          <X className="size-4" />
        </IconButton>
      </Radix.Close>
    </Radix.Root>
  );
}
