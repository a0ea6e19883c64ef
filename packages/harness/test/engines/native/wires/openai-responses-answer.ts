// An answer as OpenAI's Responses stream it: items that are added, grow and are done.
import type { Frame } from '../../../../src/rehearsal/reply/frames.ts';
import type { Reply } from '../../../../src/rehearsal/reply/reply.ts';
import { sign } from '../../../../src/rehearsal/request/signature.ts';

export function speakResponses(reply: Reply): (frame: Frame) => object[] {
  const about = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: reply.model,
    status: 'in_progress',
  };
  const usage = {
    input_tokens: reply.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: reply.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: reply.inputTokens + reply.outputTokens,
  };
  /** Inputs as far as they are written. */
  const written = new Map<string, string>();
  return (frame) => {
    const index = Number(frame.data.index ?? 0);
    const block = reply.blocks[index];
    if (frame.event === 'message_start')
      return [
        { type: 'response.created', response: about },
        { type: 'response.in_progress', response: about },
      ];
    if (frame.event === 'message_stop')
      return [{ type: 'response.completed', response: { ...about, status: 'completed', usage } }];
    if (!block) return [];
    if (block.type === 'tool_use') return speakCall(frame, index, block, written);
    if (block.type === 'thinking') return speakThought(frame, index, block.thinking);
    return speakText(frame, index, block.unit.repeat(block.repeat), reply.stopReason === 'refusal');
  };
}

function speakCall(
  frame: Frame,
  index: number,
  { id, name, inputJson }: { id: string; name: string; inputJson: string },
  written: Map<string, string>,
): object[] {
  const item = {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    status: 'in_progress',
    arguments: '',
  };
  const place = { output_index: index, item_id: item.id };
  if (frame.event === 'content_block_start')
    return [{ type: 'response.output_item.added', output_index: index, item }];
  if (frame.event === 'content_block_delta') {
    const delta = textAt(frame, 'partial_json');
    written.set(item.id, (written.get(item.id) ?? '') + delta);
    return delta === '' ? [] : [{ type: 'response.function_call_arguments.delta', ...place, delta }];
  }
  if (frame.event !== 'content_block_stop') return [];
  // Nothing is written for an empty input; a broken one is done as it is.
  const whole = written.get(item.id) || inputJson;
  written.delete(item.id);
  return [
    { type: 'response.function_call_arguments.done', ...place, arguments: whole },
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, status: 'completed', arguments: whole },
    },
  ];
}

function speakThought(frame: Frame, index: number, thinking: string): object[] {
  const item = {
    type: 'reasoning',
    id: `rs_${index}_${thinking.length}`,
    summary: [],
    encrypted_content: null,
  };
  const place = { item_id: item.id, output_index: index, summary_index: 0 };
  if (frame.event === 'content_block_start')
    return [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
    ];
  if (frame.event === 'content_block_delta') {
    const delta = textAt(frame, 'thinking');
    return delta === '' ? [] : [{ type: 'response.reasoning_summary_text.delta', ...place, delta }];
  }
  const summary = [{ type: 'summary_text', text: thinking }];
  const done = { ...item, summary, encrypted_content: sign(thinking) };
  return [
    { type: 'response.reasoning_summary_part.done', ...place, part: summary[0] },
    { type: 'response.output_item.done', output_index: index, item: done },
  ];
}

function speakText(frame: Frame, index: number, text: string, isRefusal: boolean): object[] {
  const item = { type: 'message', id: `msg_${index}`, role: 'assistant', status: 'in_progress', content: [] };
  const place = { item_id: item.id, output_index: index, content_index: 0 };
  const part = isRefusal
    ? { type: 'refusal', refusal: '' }
    : { type: 'output_text', text: '', annotations: [] };
  if (frame.event === 'content_block_start')
    return [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.content_part.added', ...place, part },
    ];
  if (frame.event === 'content_block_delta')
    return [
      {
        type: isRefusal ? 'response.refusal.delta' : 'response.output_text.delta',
        ...place,
        delta: textAt(frame, 'text'),
      },
    ];
  const whole = isRefusal ? { ...part, refusal: text } : { ...part, text };
  const said = isRefusal
    ? { type: 'response.refusal.done', ...place, refusal: text }
    : { type: 'response.output_text.done', ...place, text };
  return [
    said,
    { type: 'response.content_part.done', ...place, part: whole },
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, status: 'completed', content: [whole] },
    },
  ];
}

function textAt({ data }: Frame, key: string): string {
  const value = Object(data.delta)[key];
  return typeof value === 'string' ? value : '';
}
