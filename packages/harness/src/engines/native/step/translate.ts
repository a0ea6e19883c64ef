// From one part of the provider's stream to the events it stands for. Pure: no state, no waiting, no transcript.
import type { EngineEvent } from '@toolyard/sdk';
import type { StreamPart } from '../models/provider.ts';

/** The events of one part; most bookkeeping parts stand for none. */
export function toEvents(part: StreamPart): EngineEvent[] {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? [] : [{ type: 'text_delta', data: { text: part.delta } }];
    case 'reasoning-delta':
      return part.delta === '' ? [] : [{ type: 'thinking_delta', data: { text: part.delta } }];
    case 'tool-input-start':
      return [{ type: 'tool_call_start', data: { toolCallId: part.id, tool: part.toolName } }];
    case 'tool-input-delta':
      return [{ type: 'tool_call_delta', data: { toolCallId: part.id, delta: part.delta } }];
    case 'tool-call':
      return [{ type: 'tool_call_end', data: { toolCallId: part.toolCallId, input: toInput(part.input) } }];
    case 'finish':
      return toUsage(part.usage);
    default:
      return [];
  }
}

/** The model's input as a value; JSON the model got wrong stays the string it came as. */
export function toInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** Tokens read from or written to a cache are input too. A stream that was cut has no count. */
function toUsage({
  inputTokens,
  outputTokens,
}: Extract<StreamPart, { type: 'finish' }>['usage']): EngineEvent[] {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return [];
  const { total: read = 0, cacheRead, cacheWrite } = inputTokens;
  const data = {
    inputTokens: read,
    outputTokens: outputTokens.total ?? 0,
    ...(cacheRead && { cacheReadTokens: cacheRead }),
    ...(cacheWrite && { cacheWriteTokens: cacheWrite }),
  };
  return [{ type: 'usage', data }];
}
