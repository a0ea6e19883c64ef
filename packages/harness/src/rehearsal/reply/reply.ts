// Builds the answer a rule asks for: blocks with their variables filled in, and plausible token counts.
import { randomBytes } from 'node:crypto';
import type { Conversation } from '../request/conversation.ts';
import { sign } from '../request/signature.ts';
import type { Choice } from '../scenarios/choose-rule.ts';
import { maxTextLength, type ReplyBlock } from '../scenarios/scenario.ts';
import { renderText, renderValue, type TemplateScope } from '../scenarios/template.ts';

export interface Reply {
  id: string;
  model: string;
  blocks: OutputBlock[];
  stopReason: string;
  inputTokens: number;
  outputTokens: number;
}

export type OutputBlock =
  /** `unit` said `repeat` times; never written out whole, so that long answers cost no memory. */
  | { type: 'text'; unit: string; repeat: number }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; inputJson: string };

const charactersPerToken = 4;

export function toTokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / charactersPerToken));
}

export function createReply(
  choice: Choice | undefined,
  conversation: Conversation,
  inputTokens: number,
): Reply {
  const blocks = choice?.rule.reply?.map((block) => render(block, choice.scope)) ?? [noRule(conversation)];
  const defaultReason = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  return {
    id: createId('msg'),
    model: conversation.model,
    blocks,
    stopReason: choice?.rule.stopReason ?? defaultReason,
    inputTokens,
    outputTokens: toTokens(blocks.reduce((sum, block) => sum + lengthOf(block), 0)),
  };
}

export function createId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

export function lengthOf(block: OutputBlock): number {
  if (block.type === 'text') return block.unit.length * block.repeat;
  return block.type === 'thinking' ? block.thinking.length : block.inputJson.length;
}

function render(block: ReplyBlock, scope: TemplateScope): OutputBlock {
  if (block.call) {
    const inputJson = JSON.stringify(renderValue(block.call.input, scope));
    return { type: 'tool_use', id: createId('toolu'), name: block.call.tool, inputJson };
  }
  if (block.thinking !== undefined) {
    const thinking = renderText(block.thinking, scope);
    return { type: 'thinking', thinking, signature: sign(thinking) };
  }
  const unit = renderText(block.text ?? '', scope);
  const maxRepeats = Math.max(1, Math.floor(maxTextLength / unit.length));
  return { type: 'text', unit, repeat: Math.min(block.repeat ?? 1, maxRepeats) };
}

function noRule(conversation: Conversation): OutputBlock {
  const text = conversation.user.slice(0, 200);
  return { type: 'text', unit: `The rehearsal's scenario has no rule for this: ${text}`, repeat: 1 };
}
