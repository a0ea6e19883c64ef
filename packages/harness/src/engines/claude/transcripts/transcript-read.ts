// Reads a transcript from where the last reading ended. Bytes it cannot make sense of are told as damage, with where
// they lie; a file that was rewritten in between is noticed and searched for the last entry known.
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { TranscriptFact, TranscriptPiece, TranscriptReading } from '@toolyard/sdk';
import { z } from 'zod';
import { NotRegularFileError, openRegularFile } from '../../../untrusted-files/untrusted-files.ts';
import { toState } from './continuation.ts';
import { type Entry, parseEntries } from './transcript-entry.ts';
import { type Progress, toFacts, toLastFacts } from './transcript-events.ts';
import { type Line, maxLineBytes, readLines } from './transcript-lines.ts';

/** A last line without its end is taken for one being written when the file changed this recently. */
const writingMs = 2_000;
const checkedBytes = 1_024;
const rememberedEntries = 8;

const Cursor = z.object({
  /** Of the first byte that was not read. */
  offset: z.int().nonnegative(),
  /** Of the bytes right before it. */
  check: z.int(),
  /** The file when it was last read to its end. */
  size: z.int().nonnegative().optional(),
  modifiedAt: z.number().optional(),
  /** Where a line without end lies that people were told of. */
  toldAt: z.int().nonnegative().optional(),
  /** Ids of the last entries read, the newest first. */
  last: z.array(z.string()),
  // Written by this folder, read by this folder.
  progress: z.custom<Progress>((value) => typeof value === 'object' && value !== null),
});
type Cursor = z.infer<typeof Cursor>;

const rewritten = 'the file was rewritten since it was last read, and what is new in it cannot be told';

interface Reader {
  file: FileHandle;
  reading: TranscriptReading;
  size: number;
  modifiedAt: number;
  copiedBefore: string | undefined;
}

export async function* readTranscript(reading: TranscriptReading): AsyncGenerator<TranscriptPiece> {
  const file = await openRegularFile(reading.path).catch((thrown) => {
    // Something other than a file may lie there by now.
    if (!(thrown instanceof NotRegularFileError)) throw thrown;
  });
  if (!file) return;
  try {
    const found = await file.stat();
    const { copiedBefore } = toState(reading.state);
    const reader = { file, reading, size: found.size, modifiedAt: found.mtimeMs, copiedBefore };
    const before = Cursor.safeParse(reading.cursor).data;
    if (before?.size === found.size && before.modifiedAt === found.mtimeMs) return;
    const { facts, cursor } = await findStart(reader, before);
    yield* readOn(reader, cursor, facts);
  } finally {
    await file.close();
  }
}

async function findStart(
  reader: Reader,
  before: Cursor | undefined,
): Promise<{ facts: TranscriptFact[]; cursor: Cursor }> {
  if (!before) return { facts: [], cursor: { offset: 0, check: 0, last: [], progress: { isOwn: false } } };
  const { size, modifiedAt, ...cursor } = before;
  if (cursor.offset <= reader.size && (await checkAt(reader.file, cursor.offset)) === cursor.check) {
    return { facts: [], cursor };
  }
  const offset = await findEntry(reader, cursor.last);
  if (offset !== undefined) return { facts: [], cursor: { ...cursor, offset } };
  const damage = toDamage(reader, cursor, { offset: 0, length: reader.size }, rewritten);
  return { facts: [damage], cursor: { ...cursor, offset: reader.size } };
}

/** Where the line after the newest of these entries begins. */
async function findEntry(
  { file, size, reading }: Reader,
  ids: readonly string[],
): Promise<number | undefined> {
  const places = new Map<string, number>();
  for await (const { lines } of readLines(file, { from: 0, to: size, signal: reading.signal })) {
    for (const { text, offset, length, isEnded } of lines) {
      if (!isEnded || text === undefined) continue;
      for (const id of ids) if (text.includes(`"uuid":"${id}"`)) places.set(id, offset + length + 1);
    }
  }
  return ids.map((id) => places.get(id)).find((place) => place !== undefined);
}

async function* readOn(
  reader: Reader,
  start: Cursor,
  first: TranscriptFact[],
): AsyncGenerator<TranscriptPiece> {
  const { file, size, modifiedAt, reading } = reader;
  const range = { from: start.offset, to: size, signal: reading.signal };
  let cursor = start;
  const facts = [...first];
  let isBegun = false;
  for await (const { lines, next } of readLines(file, range)) {
    // What was read last is told with the end: mostly it is a few lines, and then one piece.
    if (isBegun) yield toPiece(reading, cursor, facts.splice(0));
    isBegun = true;
    cursor = { ...cursor, offset: next };
    for (const line of lines) {
      const read = readLine(reader, cursor, line);
      facts.push(...read.facts);
      cursor = read.cursor;
    }
    cursor.check = await checkAt(file, cursor.offset);
  }
  if (reading.signal.aborted) return;
  const { facts: last, progress } = toLastFacts(cursor.progress);
  const check = isBegun ? cursor.check : await checkAt(file, cursor.offset);
  yield toPiece(reading, { ...cursor, check, progress, size, modifiedAt }, [...facts, ...last]);
}

/** Going on from what others said, the engine counts as known what they wrote last. */
function toPiece({ state }: TranscriptReading, cursor: Cursor, facts: TranscriptFact[]): TranscriptPiece {
  const { progress, last } = cursor;
  const piece = { facts: mergeDamage(facts), cursor };
  if (progress.isOwn || last.length === 0) return piece;
  const { forgotten, ...known } = toState(state);
  return { ...piece, state: { ...known, lastUuid: last[0] } };
}

interface Read {
  facts: TranscriptFact[];
  cursor: Cursor;
}

function readLine(reader: Reader, cursor: Cursor, line: Line): Read {
  const { entries, isWhole } = line.text === undefined ? nothing : parseEntries(line.text);
  if (!line.isEnded && !isWhole) return waitForEnd(reader, cursor, line);
  const facts: TranscriptFact[] = [];
  const why = whyDamaged(line, isWhole, entries.length > 0);
  if (why) facts.push(toDamage(reader, cursor, line, why));
  let { progress, last } = cursor;
  for (const entry of entries) {
    const translated = toFacts(entry, progress, {
      sessionId: reader.reading.sessionId,
      copiedBefore: reader.copiedBefore,
      fallbackAt: new Date(reader.modifiedAt).toISOString(),
      where: { path: reader.reading.path, offset: line.offset },
    });
    facts.push(...translated.facts);
    progress = translated.progress;
    last = remember(last, entry);
  }
  // A last line that is whole needs no line break to be believed.
  const offset = line.isEnded ? cursor.offset : line.offset + line.length;
  return { facts, cursor: { ...cursor, offset, progress, last } };
}

const nothing = { entries: [], isWhole: false };

/** The last line is not whole: it is being written, or was never finished. Said once, and read again later. */
function waitForEnd(reader: Reader, cursor: Cursor, line: Line): Read {
  const isBeingWritten = Date.now() - reader.modifiedAt < writingMs;
  if (isBeingWritten || cursor.toldAt === line.offset) return { facts: [], cursor };
  const damage = toDamage(
    reader,
    cursor,
    line,
    line.fault === 'zeros' ? 'they are zero' : 'the last line is torn',
  );
  return { facts: [damage], cursor: { ...cursor, toldAt: line.offset } };
}

function whyDamaged({ fault }: Line, isWhole: boolean, hasSaved: boolean): string | undefined {
  if (fault === 'zeros') return 'they are zero';
  if (fault === 'too long') return `a line is longer than ${maxLineBytes} bytes`;
  if (hasSaved && !isWhole) return 'a line is torn; what follows it in the same line was read';
  if (!isWhole) return 'a line is torn, or no entry';
  return fault === 'not text' ? 'a line is not UTF-8; what could not be read in it is shown as �' : undefined;
}

type Range = Pick<Line, 'offset' | 'length'>;

/** The reason for now; the whole sentence once it is known how far it reaches. */
function toDamage(reader: Reader, cursor: Cursor, { offset, length }: Range, why: string): Damage {
  return { kind: 'damage', at: atOf(reader, cursor), offset, length, message: why };
}

type Damage = Extract<TranscriptFact, { kind: 'damage' }>;

/** Damage that is followed by more of its kind is told as one. */
function mergeDamage(facts: readonly TranscriptFact[]): TranscriptFact[] {
  const merged: TranscriptFact[] = [];
  for (const fact of facts) {
    const before = merged.at(-1);
    const isMore = fact.kind === 'damage' && before?.kind === 'damage' && fact.message === before.message;
    if (isMore) merged[merged.length - 1] = { ...before, length: fact.offset + fact.length - before.offset };
    else merged.push(fact);
  }
  return merged.map((fact) => (fact.kind === 'damage' ? { ...fact, message: toSentence(fact) } : fact));
}

function toSentence({ offset, length, message }: Damage): string {
  return `${length} bytes at byte ${offset} could not be read: ${message}.`;
}

function remember(last: string[], { uuid, type }: Entry): string[] {
  if (uuid === undefined || (type !== 'user' && type !== 'assistant')) return last;
  return [uuid, ...last].slice(0, rememberedEntries);
}

function atOf({ modifiedAt }: Reader, { progress }: Cursor): string {
  return progress.at ?? new Date(modifiedAt).toISOString();
}

/** Tells whether what was read is still what is there. */
async function checkAt(file: FileHandle, offset: number): Promise<number> {
  const length = Math.min(checkedBytes, offset);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset - length);
  return crc32(buffer.subarray(0, bytesRead));
}
