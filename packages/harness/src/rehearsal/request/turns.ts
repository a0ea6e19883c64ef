// The messages of a request as turns of user and assistant, with the promises between them checked: every tool
// use is answered at the start of the very next turn, and no answer comes unasked.
import { type Block, type Message, parseBlock } from './message.ts';
import { invalid, Refusal } from './refusal.ts';
import { isGenuine } from './signature.ts';

export interface Turn {
  role: 'user' | 'assistant';
  blocks: PlacedBlock[];
  /** Path of the first message of the turn. */
  at: string;
}

export type PlacedBlock = Block & { at: string };

/** Joins neighbours of one role, as the service does. Messages of role `system` belong to no turn. */
export function toTurns(messages: Message[]): Turn[] | Refusal {
  const turns: Turn[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue;
    const at = `messages.${index}`;
    const blocks = placeBlocks(content, at);
    if (blocks instanceof Refusal) return blocks;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks = last.blocks.concat(blocks);
    else turns.push({ role, blocks, at });
  }
  return checkOrder(turns) ?? checkBlocks(turns) ?? checkPairs(turns) ?? turns;
}

function placeBlocks(content: Message['content'], at: string): PlacedBlock[] | Refusal {
  const raw = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (raw.length === 0) return invalid(`${at}: content must not be empty`);
  const placed: PlacedBlock[] = [];
  for (const [index, each] of raw.entries()) {
    const path = `${at}.content.${index}`;
    const block = parseBlock(each, path);
    if (block instanceof Refusal) return block;
    placed.push({ ...block, at: path });
  }
  return placed;
}

function checkOrder(turns: Turn[]): Refusal | undefined {
  if (turns[0]?.role !== 'user') return invalid('messages: the first message must have the role "user"');
  if (turns.at(-1)?.role === 'user') return undefined;
  return invalid('messages: the last message must have the role "user"; a prefilled answer is not supported');
}

function checkBlocks(turns: Turn[]): Refusal | undefined {
  for (const { role, blocks } of turns) {
    for (const block of blocks) {
      const isMisplaced =
        role === 'user'
          ? block.type === 'tool_use' || block.type === 'thinking'
          : block.type === 'tool_result' || block.type === 'image' || block.type === 'document';
      if (isMisplaced) return invalid(`${block.at}: a message of role "${role}" cannot hold ${block.type}`);
      if (block.type === 'thinking' && !isGenuine(block.thinking, block.signature)) {
        return invalid(`${block.at}: invalid signature: the thinking was changed after it was signed`);
      }
    }
  }
  return undefined;
}

function checkPairs(turns: Turn[]): Refusal | undefined {
  const everAsked = new Set<string>();
  let open = new Set<string>();
  let askedAt = '';
  for (const turn of turns) {
    const wrong = turn.role === 'user' ? checkAnswers(turn, open, askedAt) : undefined;
    if (wrong) return wrong;
    open = new Set();
    askedAt = turn.at;
    for (const block of turn.blocks) {
      if (block.type !== 'tool_use') continue;
      if (everAsked.has(block.id)) return invalid(`${block.at}.id: tool_use ids must be unique: ${block.id}`);
      everAsked.add(block.id);
      open.add(block.id);
    }
  }
  return undefined;
}

/** Checks one user turn against the tool uses the assistant turn before it left open. */
function checkAnswers(turn: Turn, open: Set<string>, askedAt: string): Refusal | undefined {
  const answered = new Set<string>();
  for (const block of turn.blocks) {
    if (block.type === 'tool_result') {
      const id = block.tool_use_id;
      if (answered.has(id)) return invalid(`${block.at}: a second tool_result for the tool_use id ${id}`);
      if (!open.has(id)) {
        return invalid(`${block.at}: tool_result for ${id}, but the previous message has no such tool_use`);
      }
      answered.add(id);
    } else if (answered.size < open.size) break;
  }
  const missing = [...open].filter((id) => !answered.has(id));
  if (missing.length === 0) return undefined;
  return invalid(
    `${askedAt}: no tool_result follows immediately for these tool_use ids: ${missing.join(', ')}. ` +
      'The next message must begin with one tool_result for each tool_use.',
  );
}
