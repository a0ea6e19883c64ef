// What a script may react to in a request: the person's words, the tools on offer, the results just in.
import { createHash } from 'node:crypto';
import {
  isContinuationNote,
  readContinuationNote,
  readFileName,
  toByteCount,
  toFileLabel,
  toFileText,
  toImageLabel,
  toSizeLabel,
} from '@toolyard/sdk';
import type { DocumentBlock, ImageBlock, Message, ToolResultBlock } from './message.ts';
import { isNote, toPersonText } from './person-text.ts';
import type { CheckedRequest } from './request.ts';
import type { PlacedBlock, Turn } from './turns.ts';

export interface Conversation {
  /** The last thing the person said. */
  user: string;
  firstUser: string;
  /** How many times the person has spoken. */
  userTexts: number;
  /** What is known of the images that came with the person's last words. */
  images: string;
  /** The same of files. */
  files: string;
  /** Tool rounds since the person last spoke. */
  step: number;
  /** Results in the last message, when nothing was said after them. */
  results: ToolResult[];
  tools: string[];
  model: string;
  /** The same for every request of one exchange: it covers all up to the person's last words. */
  key: string;
}

export interface ToolResult {
  tool: string;
  isError: boolean;
  text: string;
}

export function toConversation({ request, turns }: CheckedRequest): Conversation {
  const text = turns.filter(isPersonTurn).map(userTextOf);
  const lastSpoken = turns.findLastIndex(isPersonTurn);
  const later = turns.slice(lastSpoken + 1).filter((turn) => turn.role === 'user');
  const spoken = turns[lastSpoken];
  // Words that an agent lost in a crash are sent again, with a note of what was done since.
  const rounds = spoken?.blocks.some(isContinuation) ? [spoken, ...later] : later;
  const lastRound = rounds.at(-1);
  return {
    user: text.at(-1) ?? '',
    firstUser: text[0] ?? '',
    userTexts: text.length,
    images: (spoken?.blocks ?? []).flatMap(toImageLabels).join(' '),
    files: (spoken?.blocks ?? []).flatMap(toFileLabels).join(' '),
    step: rounds.length,
    results: lastRound ? resultsOf(lastRound, toolNames(turns)) : [],
    tools: offeredTools(request),
    model: request.model,
    key: keyOf(turns.slice(0, lastSpoken + 1)),
  };
}

/** A user turn of nothing but tool results, or of a program's notes, is not a person speaking. */
function isPersonTurn(turn: Turn): boolean {
  if (turn.role !== 'user') return false;
  return userTextOf(turn) !== '' || !turn.blocks.some(isProgramBlock);
}

function isContinuation(block: PlacedBlock): boolean {
  return block.type === 'text' && isContinuationNote(block.text);
}

function isProgramBlock(block: PlacedBlock): boolean {
  return block.type === 'tool_result' || (block.type === 'text' && isNote(block.text));
}

function userTextOf(turn: Turn): string {
  const texts = turn.blocks.flatMap((block) => (block.type === 'text' ? [toPersonText(block.text)] : []));
  return texts.filter((text) => text !== '').join('\n');
}

function toolNames(turns: Turn[]): Map<string, string> {
  const uses = turns.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool_use'));
  return new Map(uses.map((use) => [use.id, use.name]));
}

/** What a note says of a call came later than the result that stands for it. */
function resultsOf({ blocks }: Turn, names: Map<string, string>): ToolResult[] {
  const results = new Map<string, ToolResult>();
  for (const block of blocks) {
    if (block.type === 'tool_result') {
      const { tool_use_id: id, is_error: isError, content } = block;
      results.set(id, { tool: names.get(id) ?? '', isError: isError === true, text: resultText(content) });
    } else if (block.type === 'text' && isContinuationNote(block.text)) {
      for (const { toolCallId, ...result } of readContinuationNote(block.text))
        results.set(toolCallId, result);
    }
  }
  return [...results.values()];
}

function resultText(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content;
  const texts = (content ?? []).map((block) => (typeof block.text === 'string' ? block.text : ''));
  return texts.filter((text) => text !== '').join('\n');
}

function keyOf(turns: Turn[]): string {
  const hash = createHash('sha256');
  for (const turn of turns) {
    for (const block of turn.blocks) hash.update(`${turn.role} ${block.type} ${contentOf(block)}\n`);
  }
  return hash.digest('base64url');
}

function contentOf(block: PlacedBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool_use') return block.id;
  if (block.type === 'image' || block.type === 'document') return attachedContentOf(block);
  if (block.type === 'tool_result') return `${block.tool_use_id} ${resultText(block.content)}`;
  return '';
}

/** An image beside a person's words, as a script is told of it. */
function toImageLabels(block: PlacedBlock): string[] {
  if (block.type !== 'image') return [];
  const { source } = block;
  return [
    source.type === 'base64' ? toImageLabel(source.media_type, toByteCount(source.data) ?? 0) : '[image]',
  ];
}

/** The same of a file: one of text comes as words between marks, a PDF as a document. */
function toFileLabels(block: PlacedBlock): string[] {
  if (block.type === 'document') return [toDocumentLabel(block)];
  const name = block.type === 'text' ? readFileName(block.text) : undefined;
  if (block.type !== 'text' || name === undefined) return [];
  const marks = toFileText({ name, mediaType: '', data: '' });
  return [`[file ${name}, ${toSizeLabel(Buffer.byteLength(block.text) - Buffer.byteLength(marks))}]`];
}

function toDocumentLabel({ title, source }: DocumentBlock): string {
  const name = title ?? 'document';
  if (source.type !== 'base64') return `[file ${name}]`;
  return toFileLabel({ name, mediaType: source.media_type, data: source.data });
}

/** What makes it another than the one before. */
function attachedContentOf({ source }: ImageBlock | DocumentBlock): string {
  if (source.type === 'url') return source.url;
  if (source.type === 'file') return source.file_id;
  return source.type === 'content' ? '' : source.data;
}

/** The tool by which the others are found. */
const searchTool = 'ToolSearch';
const toolLine = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * The tools a request offers. Claude Code leaves many of them out of the list, names them in a system message and takes
 * calls to them all the same, so a script counts them as offered.
 */
function offeredTools({ tools = [], messages }: CheckedRequest['request']): string[] {
  const listed = tools.map((tool) => tool.name);
  if (!listed.includes(searchTool)) return listed;
  const deferred = messages.filter(({ role }) => role === 'system').flatMap(namesIn);
  return [...new Set([...listed, ...deferred])];
}

/** Names stand one on a line, after a line that ends in a colon and speaks of the search tool. */
function namesIn(message: Message): string[] {
  const names: string[] = [];
  let isInList = false;
  for (const line of textOf(message).split('\n')) {
    if (isInList && toolLine.test(line)) names.push(line);
    else isInList = line.includes(searchTool) && line.endsWith(':');
  }
  return names;
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}
