// Login links: a code that a browser trades, once and soon, for a login of its own. Kept in memory only.
import { randomBytes } from 'node:crypto';
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';

const minuteMs = 60_000;

export function createLoginLinks(clock: Clock) {
  const expiryOf = new Map<string, number>();
  return {
    create(minutes = 1): { code: string; expiresAt: string } {
      for (const [code, expiry] of expiryOf) if (expiry <= clock.now()) expiryOf.delete(code);
      const code = randomBytes(24).toString('base64url');
      const expiry = clock.now() + minutes * minuteMs;
      expiryOf.set(code, expiry);
      return { code, expiresAt: new Date(expiry).toISOString() };
    },

    /** Uses the code up. Throws `unauthorized`. */
    redeem(code: string): void {
      const expiry = expiryOf.get(code);
      expiryOf.delete(code);
      if (expiry !== undefined && expiry > clock.now()) return;
      throw new ToolyardError('unauthorized', 'This login link was used or has expired. Ask for a new one.');
    },
  };
}
