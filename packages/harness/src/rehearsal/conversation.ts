// What a script may react to in a request: the person's words, the tools on offer, the results just in.
import { createHash } from 'node:crypto';
import type { ToolResultBlock } from './message.ts';
import type { CheckedRequest } from './messages-request.ts';
import type { PlacedBlock, Turn } from './turns.ts';

export interface Conversation {
  /** The last thing the person said. */
  user: string;
  firstUser: string;
  /** How many times the person has spoken. */
  userTexts: number;
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
  const rounds = turns.slice(lastSpoken + 1).filter((turn) => turn.role === 'user');
  const lastRound = rounds.at(-1);
  return {
    user: said.at(-1) ?? '',
    firstUser: said[0] ?? '',
    userTexts: said.length,
    step: rounds.length,
    results: lastRound ? resultsOf(lastRound, toolNames(turns)) : [],
    tools: (request.tools ?? []).map((tool) => tool.name),
    model: request.model,
    key: keyOf(turns.slice(0, lastSpoken + 1)),
  };
}

/** A user turn of nothing but tool results is not a person speaking. */
function isSpoken(turn: Turn): boolean {
  if (turn.role !== 'user') return false;
  return userTextOf(turn) !== '' || turn.blocks.every((block) => block.type !== 'tool_result');
}

/** A person's words: text blocks without the reminders that coding agents slip in between. */
function userTextOf(turn: Turn): string {
  const texts = turn.blocks.flatMap((block) => (block.type === 'text' ? [withoutReminders(block.text)] : []));
  return texts.filter((text) => text !== '').join('\n');
}

const reminderStart = '<system-reminder>';
const reminderEnd = '</system-reminder>';

function withoutReminders(text: string): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(reminderStart, from);
    if (start < 0) return (kept + text.slice(from)).trim();
    kept += text.slice(from, start);
    const end = text.indexOf(reminderEnd, start);
    if (end < 0) return kept.trim();
    from = end + reminderEnd.length;
  }
}

function toolNames(turns: Turn[]): Map<string, string> {
  const uses = turns.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool_use'));
  return new Map(uses.map((use) => [use.id, use.name]));
}

function resultsOf(turn: Turn, names: Map<string, string>): ToolResult[] {
  return turn.blocks.flatMap((block) =>
    block.type === 'tool_result'
      ? [
          {
            tool: names.get(block.tool_use_id) ?? '',
            isError: block.is_error === true,
            text: resultText(block.content),
          },
        ]
      : [],
  );
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
  if (block.type === 'tool_result') return `${block.tool_use_id} ${resultText(block.content)}`;
  return '';
}
