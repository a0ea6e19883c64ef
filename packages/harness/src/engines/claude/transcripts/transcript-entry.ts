// One line of a transcript as the CLI writes it, read leniently: what is not there or of another kind counts as absent,
// since every version of the CLI writes a little differently.
import { z } from 'zod';

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const count = z.int().nonnegative().catch(0);

const Block = z.looseObject({ type: z.string() });
export type Block = z.infer<typeof Block>;

const Message = z.object({
  id: text,
  model: text,
  content: z.union([z.string(), z.array(Block)]).catch([]),
  stop_reason: text,
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
    })
    .optional()
    .catch(undefined),
});
export type Message = z.infer<typeof Message>;

const Entry = z.object({
  type: z.string(),
  subtype: text,
  uuid: text,
  /** The entry it goes on from. */
  parentUuid: text,
  /** The same, where the CLI has begun its chain anew. */
  logicalParentUuid: text,
  timestamp: text,
  cwd: text,
  promptId: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  /** Who made a prompt, when it was not a person. */
  origin: z.looseObject({ kind: text }).optional().catch(undefined),
  message: Message.optional().catch(undefined),
  /** What system entries say. */
  content: text,
  attachment: z.object({ type: text, commandMode: text, prompt: text }).optional().catch(undefined),
  customTitle: text,
  aiTitle: text,
  summary: text,
  relocatedCwd: text,
});
export type Entry = z.infer<typeof Entry>;

/** The entries of a line: one, or what can be saved when a torn line and the next one became one. */
export function parseEntries(line: string): { entries: Entry[]; isWhole: boolean } {
  const whole = parseEntry(line);
  if (whole) return { entries: [whole], isWhole: true };
  // A CLI that was killed leaves half a line, and the next one begins right behind it.
  for (const { index } of line.matchAll(/\{"(?:parentUuid|type)":/g)) {
    const saved = index > 0 ? parseEntry(line.slice(index)) : undefined;
    if (saved) return { entries: [saved], isWhole: false };
  }
  return { entries: [], isWhole: false };
}

function parseEntry(line: string): Entry | undefined {
  try {
    return Entry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Its time, or nothing when it has none that makes sense. */
export function timeOf({ timestamp }: Entry): string | undefined {
  const time = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function blocksOf(message: Message): Block[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

/** The words of a block, if it has any. */
export function textOf(block: Block): string {
  const words = block.type === 'thinking' ? block.thinking : block.text;
  return typeof words === 'string' ? words : '';
}

/** What a person said in this entry; nothing for results, notices and the CLI's own words. */
export function personTextIn(entry: Entry): string | undefined {
  const { type, message, isMeta, isCompactSummary, origin } = entry;
  if (type !== 'user' || !message || isMeta || isCompactSummary) return undefined;
  if (origin?.kind !== undefined && origin.kind !== 'human') return undefined;
  const blocks = blocksOf(message);
  if (blocks.some((block) => block.type === 'tool_result')) return undefined;
  const words = blocks.map((block) => (block.type === 'text' ? textOf(block) : `[${block.type}]`)).join('\n');
  return toPersonText(words.trim()) || undefined;
}

/** Commands are written as tags; people typed them with a slash, or with `!` for the shell. */
function toPersonText(words: string): string {
  const command = tagIn(words, 'command-name');
  if (command !== undefined) return `${command} ${tagIn(words, 'command-args') ?? ''}`.trim();
  const shell = tagIn(words, 'bash-input');
  if (shell !== undefined) return `! ${shell}`;
  return isAnswerOfCommand(words) || isInterruption(words) ? '' : words;
}

function tagIn(words: string, name: string): string | undefined {
  if (!words.startsWith('<')) return undefined;
  return new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(words)?.[1]?.trim();
}

/** What a command of the CLI itself printed: no model was asked. */
export function isAnswerOfCommand(words: string): boolean {
  return /^<(?:local-command-(?:stdout|stderr)|bash-(?:stdout|stderr))>/.test(words);
}

export function isInterruption(words: string): boolean {
  return words.startsWith('[Request interrupted by user');
}
