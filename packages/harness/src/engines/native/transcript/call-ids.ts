// The ids of calls, as every provider takes them back: of few characters, short, and none for two calls. One that fits
// stays as it came; another is made from it, always the same.
import { createHash } from 'node:crypto';
import type { Message, StreamPart } from '../models/provider.ts';

const fitting = /^[a-zA-Z0-9_-]{1,64}$/;

export function toOwnId(id: string, used: ReadonlySet<string>): string {
  let own = fitting.test(id) ? id : toHashed(id, 0);
  for (let again = 1; used.has(own); again += 1) own = toHashed(id, again);
  return own;
}

function toHashed(id: string, again: number): string {
  return `call_${createHash('sha256').update(`${again} ${id}`).digest('base64url').slice(0, 24)}`;
}

export function callIdsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : [])) : [],
  );
}

/** Gives the calls of one answer their ids, part by part. `used`: those of all calls before it. */
export function createCallIds(used: ReadonlySet<string>): (part: StreamPart) => StreamPart {
  const taken = new Set(used);
  /** Calls that have begun, the oldest first, by the provider's id, which may stand for several. */
  const open = new Map<string, string[]>();
  const begin = (id: string) => {
    const own = toOwnId(id, taken);
    taken.add(own);
    open.set(id, [...(open.get(id) ?? []), own]);
    return own;
  };
  return (part) => {
    if (part.type === 'tool-input-start') return { ...part, id: begin(part.id) };
    if (part.type === 'tool-input-delta' || part.type === 'tool-input-end')
      return { ...part, id: open.get(part.id)?.at(-1) ?? part.id };
    if (part.type !== 'tool-call') return part;
    const own = open.get(part.toolCallId)?.shift();
    if (own !== undefined) return { ...part, toolCallId: own };
    const unbegun = begin(part.toolCallId);
    open.get(part.toolCallId)?.pop();
    return { ...part, toolCallId: unbegun };
  };
}
