// What a script may react to in a request: the person's words, the tools on offer, the results just in.
import { createHash } from 'node:crypto';
import { isContinuationNote, readContinuationNote } from '@toolyard/sdk';
import { attachedContentOf, toFileLabels, toImageLabels } from './attached.ts';
import type { ToolResultBlock } from './message.ts';
import type { CheckedRequest } from './messages-request.ts';
import { offeredTools } from './offered-tools.ts';
import { isNote, wordsOf } from './spoken.ts';
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
  const said = turns.filter(isSpoken).map(userTextOf);
  const lastSpoken = turns.findLastIndex(isSpoken);
  const later = turns.slice(lastSpoken + 1).filter((turn) => turn.role === 'user');
  const spoken = turns[lastSpoken];
  // Words that an agent lost in a crash are sent again, with a note of what was done since.
  const rounds = spoken?.blocks.some(isContinuation) ? [spoken, ...later] : later;
  const lastRound = rounds.at(-1);
  return {
    user: said.at(-1) ?? '',
    firstUser: said[0] ?? '',
    userTexts: said.length,
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
function isSpoken(turn: Turn): boolean {
  if (turn.role !== 'user') return false;
  return userTextOf(turn) !== '' || !turn.blocks.some(isUnspoken);
}

function isContinuation(block: PlacedBlock): boolean {
  return block.type === 'text' && isContinuationNote(block.text);
}

function isUnspoken(block: PlacedBlock): boolean {
  return block.type === 'tool_result' || (block.type === 'text' && isNote(block.text));
}

function userTextOf(turn: Turn): string {
  const texts = turn.blocks.flatMap((block) => (block.type === 'text' ? [wordsOf(block.text)] : []));
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
