// How full the window is, for a person who asks: by the provider's count of the last step, parted by our own guess.
import type { ContextUsage, EngineSpec } from '@toolyard/sdk';
import { toModelTools } from './footing.ts';
import { type Sized, toSize, toTokens } from './size.ts';

export function toContextUsage(
  sized: Sized,
  { instructions, tools }: Pick<EngineSpec, 'instructions' | 'tools'>,
  window: number | undefined,
): ContextUsage | undefined {
  if (window === undefined) return undefined;
  const fixed = [
    { name: 'instructions', tokens: toTokens(instructions) },
    { name: 'tools', tokens: toTokens(JSON.stringify(toModelTools(tools))) },
    { name: 'summary', tokens: toTokens(sized.summary ?? '') },
  ];
  const base = fixed.reduce((sum, { tokens }) => sum + tokens, 0) - toTokens(sized.summary ?? '');
  const used = Math.round(toSize(sized, base));
  const rest = used - fixed.reduce((sum, { tokens }) => sum + tokens, 0);
  const parts = [...fixed, { name: 'messages', tokens: Math.max(0, rest) }];
  return { usedTokens: used, windowTokens: window, parts: parts.filter(({ tokens }) => tokens > 0) };
}
