// Where a link leads, if it may be followed at all. Pure.

export interface Target {
  href: string;
  /** Where it leads, in short. */
  host: string;
}

/** Nothing when it is not a link that may be followed. */
export function toTarget(href: string): Target | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return undefined;
  const url = URL.parse(href);
  if (!url) return undefined;
  return { href: url.href, host: url.protocol === 'mailto:' ? url.pathname : url.host };
}

/** Does the text itself say where it leads? */
export function tellsHost(text: string, { href, host }: Target): boolean {
  const said = text.trim().toLowerCase();
  return said === host || said === href || `${said}/` === href || said.startsWith(`${new URL(href).origin}/`);
}
