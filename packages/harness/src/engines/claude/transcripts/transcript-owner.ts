// Whose an entry of a transcript is: ours, if the prompt it goes back to is. When a terminal and we talk at the same time,
// the entries of both lie mixed in the file, so their order says little. What is remembered for this is bounded.
import { isPromptOf } from '../lib/prompt-id.ts';
import type { Entry } from './transcript-entry.ts';

/** Of each side: more than an entry and the last one of its branch lie apart. */
const rememberedEntries = 32;

/** JSON. */
export interface Ownership {
  /** The last entry was ours. */
  isOwn: boolean;
  /** What the CLI calls our last prompt; all that came of it says so, too. */
  ownPromptId?: string;
  /** Ids of the last entries of each side, the newest first. */
  ours?: readonly string[];
  theirs?: readonly string[];
}

export function isOwnEntry(
  entry: Entry,
  before: Ownership,
  { isPrompt, sessionId }: { isPrompt: boolean; sessionId: string },
): boolean {
  if (isPrompt && isPromptOf(sessionId, entry.uuid ?? '')) return true;
  if (entry.promptId !== undefined && entry.promptId === before.ownPromptId) return true;
  // An entry whose parent is not known belongs to what stands before it.
  return !isPrompt && (isParentOwn(entry, before) ?? before.isOwn);
}

/** Is this prompt of ours on our own branch? Whatever else is under way goes on beside it. */
export function continuesOwnBranch(entry: Entry, before: Ownership): boolean {
  return isParentOwn(entry, before) ?? false;
}

function isParentOwn(entry: Entry, { ours, theirs }: Ownership): boolean | undefined {
  const parent = entry.parentUuid ?? entry.logicalParentUuid;
  if (parent === undefined) return undefined;
  if (ours?.includes(parent)) return true;
  return theirs?.includes(parent) ? false : undefined;
}

/** What is known after an entry. */
export function toOwnership<Before extends Ownership>(
  before: Before,
  { uuid, promptId }: Entry,
  { isOwn, isPrompt }: { isOwn: boolean; isPrompt: boolean },
): Before {
  const side = isOwn ? 'ours' : 'theirs';
  return {
    ...before,
    isOwn,
    ...(isOwn && isPrompt && { ownPromptId: promptId }),
    ...(uuid !== undefined && { [side]: [uuid, ...(before[side] ?? [])].slice(0, rememberedEntries) }),
  };
}
