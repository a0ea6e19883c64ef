// Ids for the messages we give to the CLI. It keeps them in its transcript, so that the file itself says for ever which
// turns were ours: no mark of our own has to be stored in time, and no crash can lose it.
import { createHash, randomBytes } from 'node:crypto';

type Uuid = `${string}-${string}-${string}-${string}-${string}`;

/** What each of them begins with, whichever home it comes from. */
const sign = '70017a2d';

/** A UUID (version 8) that says: sent by Toolyard, in this session. */
export function newPromptId(sessionId: string): Uuid {
  const chance = randomBytes(8).toString('hex');
  // Two bits say that it is a UUID of the usual variant.
  const variant = ((Number.parseInt(chance.slice(0, 1), 16) & 3) | 8).toString(16);
  return `${prefixOf(sessionId)}-${variant}${chance.slice(1, 4)}-${chance.slice(4)}`;
}

export function isPromptOf(sessionId: string, uuid: string): boolean {
  return uuid.startsWith(prefixOf(sessionId));
}

/** Sent by a Toolyard, not necessarily by this one. */
export function isPromptOfToolyard(uuid: string): boolean {
  return uuid.startsWith(`${sign}-`);
}

function prefixOf(sessionId: string): `${string}-${string}-${string}` {
  const hash = createHash('sha256').update(sessionId).digest('hex');
  return `${sign}-${hash.slice(0, 4)}-8${hash.slice(4, 7)}`;
}
