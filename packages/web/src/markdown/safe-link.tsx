// A link to where it says it goes: only to the web and to mail, with the host beside a text that does not tell it, and
// without a word about where the reader comes from. Images are links, too: nothing is loaded from elsewhere.
import { toReadable } from '@toolyard/sdk';
import { ExternalLink, Image as ImageIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { showsHost, type Target, toTarget } from './link-target.ts';

export function SafeLink({ href, text, children }: { href: string; text: string; children: ReactNode }) {
  const target = toTarget(href);
  if (!target) {
    return (
      <span title="This link leads nowhere that may be opened from here.">
        {children}{' '}
        <span className="font-mono text-[0.85em] text-faint">({toReadable(href.slice(0, 80))})</span>
      </span>
    );
  }
  return (
    <>
      <a
        href={target.href}
        target="_blank"
        rel="noreferrer noopener"
        title={target.href}
        className="text-accent underline decoration-accent/40 underline-offset-2 wrap-anywhere hover:decoration-accent"
      >
        {children}
      </a>
      {!showsHost(text, target) && <Host target={target} />}
    </>
  );
}

function Host({ target: { host, hasUser } }: { target: Target }) {
  const classes = hasUser ? 'font-medium text-warn' : 'text-faint';
  return (
    <span className={`ml-1 inline-flex items-center gap-0.5 align-baseline text-[0.8em] ${classes}`}>
      <ExternalLink className="size-[0.9em]" aria-hidden="true" />
      {host.length > 60 ? `…${host.slice(-60)}` : host}
    </span>
  );
}

export function ImageLink({ href, text }: { href: string; text: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border bg-sunken px-1.5 py-0.5 text-[0.9em]">
      <ImageIcon className="size-3.5 shrink-0 text-faint" aria-hidden="true" />
      <SafeLink href={href} text="">
        {text || 'image'}
      </SafeLink>
      <span className="sr-only">(image, not loaded)</span>
    </span>
  );
}
