// Where a provider that wants to be told may cache: behind the tools, behind the instructions, and behind the last two
// places a request ended at. Marks copies; what is stored has none. Pure.
import type { Message, ModelTools } from './provider.ts';

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };

interface Cacheable {
  prompt: Message[];
  tools?: ModelTools | undefined;
}

/** At most four marks, which is what Anthropic takes. */
export function markCached<T extends Cacheable>(request: T): T {
  const prompt = [...request.prompt];
  for (const at of new Set([findSystem(prompt), findLastEnd(prompt), prompt.length - 1])) {
    const message = prompt[at];
    if (message) prompt[at] = { ...message, providerOptions: { ...message.providerOptions, ...mark } };
  }
  const last = request.tools?.at(-1);
  if (!request.tools || last?.type !== 'function') return { ...request, prompt };
  return { ...request, prompt, tools: request.tools.with(-1, { ...last, providerOptions: mark }) };
}

function findSystem(prompt: readonly Message[]): number {
  return prompt[0]?.role === 'system' ? 0 : -1;
}

/** The request before ended where the model's last answer begins; a hit there needs no search backwards. */
function findLastEnd(prompt: readonly Message[]): number {
  return prompt.findLastIndex(({ role }) => role === 'assistant') - 1;
}
