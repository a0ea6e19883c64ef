// Who makes the calls of a session in which nobody converses. A client that connects anew is the same caller as before:
// what it has drafted is still its own, and its limits go on.
import type { Actor, Callers, Session } from '@toolyard/sdk';

/** A model is at the other end of this surface, whoever's token it has. */
const mcpSurface = 'mcp';

export function toCaller({ kind, id, via }: Actor): string {
  return [kind, id, via].join(':');
}

/** Does it call by this token, or by this login? */
export function isCallerOf(id: string, { caller }: Session): boolean {
  return caller?.split(':')[1] === id;
}

/** All sessions of the caller in this one, as the same role in the same place. None: it has only this one. */
export function toCallers({ caller, role, cwd }: Session): Callers | undefined {
  return caller?.endsWith(`:${mcpSurface}`) ? { caller, role, cwd } : undefined;
}

/** Somebody who may ask about everything, by a call of their own. */
export function isPersonsCall({ caller }: Session): boolean {
  const [kind, , via] = caller?.split(':') ?? [];
  return kind === 'person' && via !== mcpSurface;
}
