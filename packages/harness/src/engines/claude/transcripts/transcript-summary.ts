// What a transcript is about, from its first and last bytes only: thousands of them are listed at once.
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { TranscriptStamp, TranscriptSummary } from '@toolyard/sdk';
import { openRegularFile } from '../../../untrusted-files/untrusted-files.ts';
import { isPromptOfToolyard } from '../lib/prompt-id.ts';
import { type Entry, parseEntries, personTextIn, timeOf } from './transcript-entry.ts';

const endBytes = 64 * 1024;
/** A conversation that a Toolyard has just begun may be ours, before we know its token. */
const ownMs = 30_000;

export type SummaryResult = { kind: 'found'; summary: TranscriptSummary } | { kind: 'silent' };

/** Throws when the file cannot be read. */
export async function summarize(stamp: TranscriptStamp): Promise<SummaryResult> {
  const file = await openRegularFile(stamp.path);
  try {
    const head = await readText(file, 0, Math.min(endBytes, stamp.size));
    const tail =
      stamp.size > endBytes ? await readText(file, Math.max(endBytes, stamp.size - endBytes), endBytes) : '';
    return toSummaryResult(stamp, head.split('\n'), tail.split('\n'));
  } finally {
    await file.close();
  }
}

async function readText(file: FileHandle, from: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.toString('utf8', 0, bytesRead);
}

function toSummaryResult(stamp: TranscriptStamp, head: string[], tail: string[]): SummaryResult {
  const first = readHead(head);
  if (first.isSidechain) return { kind: 'silent' };
  // A head that cannot be read says nothing; what is behind it may.
  const behind = first.prompt ? [] : tail.flatMap(toEntries);
  const prompt = first.prompt ?? behind.find((entry) => personTextIn(entry) !== undefined);
  const isSilent = !first.isDamaged && !behind.some(({ type }) => type === 'assistant');
  if (!prompt && isSilent) return { kind: 'silent' };
  const isMaybeOurs = isPromptOfToolyard(prompt?.uuid ?? '') && isYoung(first.createdAt);
  const title = readTitle([...head, ...tail]) ?? (prompt && personTextIn(prompt)) ?? 'Damaged transcript';
  const model = readModel(tail) ?? readModel(head);
  const updatedAt = new Date(stamp.modifiedAt).toISOString();
  return {
    kind: 'found',
    summary: {
      title: toTitle(title),
      cwd: readCwd(tail) ?? first.cwd ?? behind.find(({ cwd }) => cwd)?.cwd ?? guessCwd(stamp.path),
      ...(model && { model }),
      createdAt: first.createdAt ?? (prompt && timeOf(prompt)) ?? updatedAt,
      updatedAt,
      ...(isMaybeOurs && { isMaybeOurs }),
    },
  };
}

interface Head {
  /** There is something before the first prompt that cannot be read. */
  isDamaged: boolean;
  isSidechain: boolean;
  prompt?: Entry;
  cwd?: string;
  createdAt?: string;
}

/** Up to the first prompt. */
function readHead(lines: readonly string[]): Head {
  const head: Head = { isDamaged: false, isSidechain: false };
  for (const [index, line] of lines.entries()) {
    const [entry] = toEntries(line);
    // The last line may be cut off, or still be being written, unless it is all there is.
    if (!entry) head.isDamaged ||= line.trim() !== '' && (index < lines.length - 1 || index === 0);
    if (!entry) continue;
    const at = timeOf(entry);
    if (at) head.createdAt ??= at;
    if (entry.cwd) head.cwd ??= entry.cwd;
    head.isSidechain = entry.isSidechain === true;
    if (head.isSidechain) break;
    if (personTextIn(entry) === undefined) continue;
    head.prompt = entry;
    break;
  }
  return head;
}

function toEntries(line: string): Entry[] {
  const parsed = parseEntries(line);
  return parsed.isWhole ? parsed.entries : [];
}

/** What a person called it, or else what the CLI did. */
function readTitle(lines: readonly string[]): string | undefined {
  const named = lines.filter((line) => /"(?:customTitle|aiTitle|summary)":/.test(line)).flatMap(toEntries);
  const last = (key: 'customTitle' | 'aiTitle' | 'summary') =>
    named.findLast((entry) => entry[key]?.trim() && !entry.message)?.[key];
  return last('customTitle') ?? last('aiTitle') ?? last('summary');
}

/** Where it was moved to. */
function readCwd(lines: readonly string[]): string | undefined {
  const moved = lines.filter((line) => line.includes('"relocatedCwd":')).flatMap(toEntries);
  return moved.findLast(({ relocatedCwd }) => relocatedCwd)?.relocatedCwd;
}

function readModel(lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    const isAnswer = line.includes('"type":"assistant"');
    const name = isAnswer ? /"model":"([\w.:@-]{1,100})"/.exec(line)?.[1] : undefined;
    if (name) return `anthropic/${name}`;
  }
  return undefined;
}

function isYoung(createdAt: string | undefined): boolean {
  return createdAt !== undefined && Date.now() - Date.parse(createdAt) < ownMs;
}

/** The folder's name is the directory with everything but letters and digits turned into dashes. */
function guessCwd(path: string): string {
  const folder = dirname(path);
  const guess = basename(folder).replaceAll('-', '/');
  return guess.startsWith('/') && existsSync(guess) ? guess : folder;
}

function toTitle(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const cut = line.length > 80 ? `${line.slice(0, 79).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return cut.toWellFormed();
}
