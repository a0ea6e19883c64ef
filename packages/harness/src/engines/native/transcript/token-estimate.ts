// How much of a model's window a conversation takes: the provider's own count as far as it goes, and a careful guess for
// what came since. Pure.

import type { Message, ModelTools, UserPart } from '../models/provider.ts';
import type { MessageEntry } from './entries.ts';

/** Fewer than usual, so that the guess is rather too high than too low. */
const bytesPerToken = 3;
const perMessage = 8;
const perImage = 1_600;
/** Pages of a PDF are read as words and as pictures; how many it has only the provider finds out. */
const pdfCharsPerToken = 25;

export interface Sized {
  entries: readonly MessageEntry[];
  summary: string | undefined;
  /** How far our guesses are off, as was last known. */
  scale: number;
}

/** Tokens that the next step would send. `base`: of the instructions and tools. */
export function toSize(sized: Sized, base: number): number {
  const { counted, known, scale } = count(sized, base);
  return known + toSizeOf(sized.entries.slice(counted + 1)) * scale;
}

/** How far our guesses are off, by the provider's last count: languages and tokenizers differ. */
export function toScale(sized: Sized, base: number): number {
  return count(sized, base).scale;
}

function count({ entries, summary, scale }: Sized, base: number) {
  const counted = entries.findLastIndex(({ tokens }) => tokens !== undefined);
  const before = base + toTokens(summary ?? '');
  const known = entries[counted]?.tokens;
  if (known === undefined) return { counted, known: before * scale, scale };
  const guessed = before + toSizeOf(entries.slice(0, counted + 1));
  return { counted, known, scale: Math.min(Math.max(known / guessed, 0.5), 5) };
}

export function toSizeOf(entries: readonly MessageEntry[]): number {
  return entries.reduce((sum, { message }) => sum + toMessageSize(message), 0);
}

export function toBase(instructions: string, tools: ModelTools): number {
  return toTokens(instructions) + toTokens(JSON.stringify(tools));
}

export function toTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Messages never change, so each is measured once. */
const sizes = new WeakMap<Message, number>();

export function toMessageSize(message: Message): number {
  const size = sizes.get(message) ?? measure(message);
  sizes.set(message, size);
  return size;
}

function measure({ content }: Message): number {
  if (typeof content === 'string') return perMessage + toTokens(content);
  return content.reduce((sum, part) => sum + measurePart(part), perMessage);
}

function measurePart(part: Exclude<Message['content'], string>[number]): number {
  if (part.type === 'text' || part.type === 'reasoning') return toTokens(part.text);
  return part.type === 'file' ? measureFile(part) : toTokens(JSON.stringify(part));
}

function measureFile({ mediaType, data }: Extract<UserPart, { type: 'file' }>): number {
  if (mediaType.startsWith('image/') || data.type !== 'data') return perImage;
  return perImage + Math.ceil(data.data.length / pdfCharsPerToken);
}
