// A browser notification when somebody is needed and nobody looks. Asks the browser only when a person pressed for it.
import { toVisibleLine } from '@toolyard/sdk';
import { useEffect, useRef, useState } from 'react';
import { usePending } from '../queries/pending.ts';

type Permission = NotificationPermission | 'unsupported';

function read(): Permission {
  return 'Notification' in window ? Notification.permission : 'unsupported';
}

export function useNotificationPermission() {
  const [permission, setPermission] = useState(read);
  const ask = async () =>
    setPermission(read() === 'unsupported' ? 'unsupported' : await Notification.requestPermission());
  return { permission, ask };
}

/** Once in the page. What waited already when it was opened is not told. */
export function useNotifications(openInbox: () => void): void {
  const { approvals, questions, isLoaded } = usePending();
  const known = useRef<Set<string> | undefined>(undefined);
  useEffect(() => {
    if (!isLoaded) return;
    const waiting = [
      ...approvals.map(({ id, tool }) => ({ id, text: `${toVisibleLine(tool)} needs your approval` })),
      ...questions.map(({ id }) => ({ id, text: 'An agent has a question' })),
    ];
    const before = known.current;
    known.current = new Set(waiting.map(({ id }) => id));
    if (!before || !document.hidden || read() !== 'granted') return;
    for (const { id, text } of waiting) if (!before.has(id)) notify(id, text, openInbox);
  }, [approvals, questions, isLoaded, openInbox]);
}

function notify(id: string, text: string, openInbox: () => void): void {
  const notification = create(id, text);
  if (!notification) return;
  notification.onclick = () => {
    window.focus();
    openInbox();
    notification.close();
  };
}

/** Phones have the name and the permission, but let only a service worker make one: there the title's count must do. */
function create(id: string, text: string): Notification | undefined {
  try {
    return new Notification('Toolyard', { body: text, tag: id, icon: '/icon.svg' });
  } catch {
    return undefined;
  }
}
