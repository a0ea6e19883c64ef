// Forking a conversation that the CLI keeps. Nothing is written now: the CLI copies its transcript, up to an entry, when
// the fork is first talked to. Which entry that is, the transcript as it is now says.
import { randomUUID } from 'node:crypto';
import { type Forking, type Resume, ToolyardError } from '@toolyard/sdk';
import { z } from 'zod';
import { openRegularFile } from '../../untrusted-files/untrusted-files.ts';
import { sessionGoneFailure } from './events/failures.ts';
import { type SessionState, toState } from './transcripts/continuation.ts';
import { type Entry, parseEntries, timeOf } from './transcripts/transcript-entry.ts';
import { findTranscript } from './transcripts/transcript-file.ts';
import { readLines } from './transcripts/transcript-lines.ts';

/** What the engine stores of a message: the id it was sent by. */
const Sent = z.object({ message: z.string() });

type Place = NonNullable<SessionState['fork']>;

/** Throws `session_gone` when the CLI has lost the conversation. */
export async function forkConversation(
  configFolder: string,
  { token, state, last, leftOut, at }: Forking,
): Promise<Omit<Resume, 'entries'>> {
  const original = toState(state);
  if (token === undefined || token === original.forgotten || !last) return {};
  const own = await findTranscript(configFolder, token);
  // One that is a fork itself and was never talked to is still where it came from.
  const source = own ? { token } : original.fork;
  const path = own ?? (source && (await findTranscript(configFolder, source.token)));
  if (!source || !path) return original.lastUuid || original.fork ? refuseGone() : {};
  const end = await findEnd(path, leftOut);
  const until = 'before' in end ? end.before : original.fork && !own ? original.fork.at : end.last;
  if (until === undefined) return {};
  return { token: randomUUID(), state: toForked({ token: source.token, at: until }, last, at) };
}

function toForked(fork: Place, last: NonNullable<Forking['last']>, copiedBefore: string): SessionState {
  const sent = Sent.safeParse(last.entries.at(-1)).data?.message;
  const isOpen = !last.isAnswered && sent !== undefined;
  return {
    ...(isOpen && { message: { uuid: sent, content: last.content } }),
    answered: last.isAnswered,
    fork,
    copiedBefore,
  };
}

type End = { before: string | undefined } | { last: string | undefined };

/** Before the first message that is left out, if it is there. One said elsewhere is known by its time. */
async function findEnd(path: string, leftOut: Forking['leftOut']): Promise<End> {
  const sent = new Set(leftOut.flatMap(({ entries }) => entries.map(toSent)));
  const times = new Set(leftOut.flatMap(({ at, entries }) => (entries.length === 0 ? [at] : [])));
  const isLeftOut = (entry: Entry) => sent.has(entry.uuid) || times.has(timeOf(entry) ?? '');
  let last: string | undefined;
  await using file = await openRegularFile(path);
  const range = { from: 0, to: (await file.stat()).size, signal: new AbortController().signal };
  for await (const { lines } of readLines(file, range)) {
    for (const entry of lines.flatMap(({ text }) => parseEntries(text ?? '').entries)) {
      if (entry.uuid === undefined || entry.isSidechain || !chained.has(entry.type)) continue;
      const isPrompt = entry.type === 'user' && isLeftOut(entry);
      if (isPrompt) return { before: entry.parentUuid ?? entry.logicalParentUuid };
      last = entry.uuid;
    }
  }
  return { last };
}

/** What a conversation is made of; beside it the CLI keeps books. */
const chained = new Set(['user', 'assistant', 'attachment', 'system']);

function toSent(entry: unknown): string | undefined {
  return Sent.safeParse(entry).data?.message;
}

function refuseGone(): never {
  const { code, message } = sessionGoneFailure();
  throw new ToolyardError(code, message);
}
