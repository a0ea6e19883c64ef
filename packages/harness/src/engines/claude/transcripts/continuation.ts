// Going on after the process died: what the CLI is told, given what its transcript holds and what the harness knows.
import { type Content, type SettledCall, toContinuationNote } from '@toolyard/sdk';
import { z } from 'zod';
import type { TranscriptFacts } from './transcript-file.ts';

/** What a session needs to know of itself after a restart; kept by `checkpoint`. */
export const SessionState = z.object({
  /** The message of the turn under way, or of the last one. */
  message: z.object({ uuid: z.string(), content: z.custom<Content>() }).optional(),
  /** That turn has been answered. */
  answered: z.boolean().default(false),
  /** The newest entry of the CLI's transcript that the log knows. */
  lastUuid: z.string().optional(),
  /** A conversation that the CLI has lost: its id is not to be resumed again. */
  forgotten: z.string().optional(),
  /** It goes on from another conversation, after this entry of it; that one is copied when the first message is sent. */
  fork: z.object({ token: z.string(), at: z.string() }).optional(),
  /** Whatever was said before is a copy, and in the log already. ISO time. */
  copiedBefore: z.string().optional(),
});
export type SessionState = z.infer<typeof SessionState>;

export function toState(stored: unknown): SessionState {
  return SessionState.safeParse(stored ?? {}).data ?? SessionState.parse({});
}

/** What to send; nothing when the turn had been answered. */
export function toContinuation(
  { message, answered }: SessionState,
  settled: readonly SettledCall[],
  facts: TranscriptFacts | undefined,
): { content: Content; uuid?: string } | undefined {
  if (answered || !message) return undefined;
  const missing = settled.filter((call) => !isHeld(call, facts)).map((call) => toNoted(call, facts));
  const note = toContinuationNote(missing);
  if (facts?.uuids.has(message.uuid)) return { content: note };
  // A CLI that was killed may not have written down what it was last told, nor what it did then.
  return missing.length === 0
    ? message
    : { ...message, content: [...toParts(message.content), toPart(note)] };
}

/** Has the model this result already? An error may be what the CLI itself put in the place of one. */
function isHeld({ toolCallId, text }: SettledCall, facts: TranscriptFacts | undefined): boolean {
  const held = facts?.results.get(toolCallId);
  return held !== undefined && (!held.isError || held.text === text);
}

/** In its own words for the tool; with the input where the transcript has lost the call. */
function toNoted({ input, ...call }: SettledCall, facts: TranscriptFacts | undefined): SettledCall {
  const tool = call.tool.replace(/^claude:/, '');
  const isKnown = facts?.results.has(call.toolCallId) ?? false;
  return { ...call, tool, ...(!isKnown && input !== undefined && { input }) };
}

function toParts(content: Content) {
  return typeof content === 'string' ? [toPart(content)] : content;
}

function toPart(text: string) {
  return { type: 'text' as const, text };
}
