// Where a link leads, if it may be followed at all. Pure.

export interface Target {
  href: string;
  /** Where it leads, in short. */
  host: string;
  /** Before an @ it names somebody, or what looks like another host. */
  hasUser?: true;
}

/** What was hidden in it is written out by now: followed, it would lead elsewhere than it did. */
const writtenOut = /⟨U\+[0-9A-F]{4,6}⟩/;

/** Nothing when it is not a link that may be followed. */
export function toTarget(href: string): Target | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href) || writtenOut.test(href)) return undefined;
  const url = URL.parse(href);
  if (!url) return undefined;
  return {
    href: url.href,
    host: url.protocol === 'mailto:' ? url.pathname : url.host,
    ...((url.username || url.password) && { hasUser: true }),
  };
}

/** Does the text itself say where it leads? */
export function showsHost(text: string, { href, host, hasUser }: Target): boolean {
  if (hasUser) return false;
  const shown = text.trim().toLowerCase();
  return (
    shown === host || shown === href || `${shown}/` === href || shown.startsWith(`${new URL(href).origin}/`)
  );
}
