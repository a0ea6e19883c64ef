// Login links: a code that a page trades, once and soon, for a login of its own. Kept in memory only.
import { randomBytes } from 'node:crypto';
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';

const minuteMs = 60_000;
/** How long a dead code is remembered, to tell whoever brings it why it is dead. */
const memoryMs = 60 * minuteMs;
const maxCodes = 1_000;

export function createLoginLinks(clock: Clock) {
  const links = new Map<string, { expiry: number; isUsed: boolean }>();

  function forgetOld(): void {
    for (const [code, { expiry }] of links)
      if (expiry + memoryMs <= clock.now() || links.size >= maxCodes) links.delete(code);
  }

  return {
    create(minutes = 1): { code: string; expiresAt: string } {
      forgetOld();
      const code = randomBytes(24).toString('base64url');
      const expiry = clock.now() + minutes * minuteMs;
      links.set(code, { expiry, isUsed: false });
      return { code, expiresAt: new Date(expiry).toISOString() };
    },

    /** Uses the code up. Throws `unauthorized`, with a reason of its own for each way in which a link is dead. */
    redeem(code: string): void {
      const link = links.get(code);
      if (!link)
        throw refuse('link_unknown', 'The server does not know this login link: it has restarted since.');
      if (link.isUsed) throw refuse('link_used', 'This login link was used already.');
      if (link.expiry <= clock.now()) throw refuse('link_expired', 'This login link has expired.');
      link.isUsed = true;
    },
  };
}

function refuse(reason: string, message: string): ToolyardError {
  return new ToolyardError('unauthorized', `${message} Ask for a new one with \`toolyard login\`.`, {
    data: { reason },
  });
}
