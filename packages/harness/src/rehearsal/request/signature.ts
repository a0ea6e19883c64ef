// Signs thinking, so that a transcript that sends it back changed is caught as the real service would catch it.
import { createHash } from 'node:crypto';

const prefix = 'rehearsal.';

export function sign(thinking: string): string {
  return prefix + createHash('sha256').update(thinking).digest('base64url');
}

/** Signatures of other models cannot be checked here and pass. */
export function isGenuine(thinking: string, signature: string): boolean {
  return !signature.startsWith(prefix) || signature === sign(thinking);
}
