// What happened in a turn, as short as a test wants to compare it.
import type { Event, Failure } from '@toolyard/sdk';

/** The words of the answer. */
export function textOf(events: readonly Event[]): string {
  return events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : [])).join('');
}

/** How the last turn in it ended. */
export function endOf(events: readonly Event[]): { outcome: string; error?: Failure } {
  const end = events.findLast((event) => event.type === 'turn_end');
  if (!end) throw new Error('no turn has ended');
  const { outcome, error } = end.data;
  return { outcome, ...(error && { error }) };
}

/** The calls that were made, each with its input, how it ended and what it gave. */
export function callsOf(events: readonly Event[]) {
  return events
    .filter((event) => event.type === 'tool_call_start')
    .map(({ data: { toolCallId, tool } }) => {
      const input = events.find(
        (event) => event.type === 'tool_call_end' && event.data.toolCallId === toolCallId,
      );
      const result = events.find(
        (event) => event.type === 'tool_result' && event.data.toolCallId === toolCallId,
      );
      return {
        tool,
        ...(input?.type === 'tool_call_end' && { input: input.data.input }),
        ...(result?.type === 'tool_result' && { isError: result.data.isError, output: result.data.output }),
      };
    });
}

/** The order of what matters: one word for each event, pieces of the same thing once, costs and engine notes left out. */
export function toOutline(events: readonly Event[]): string[] {
  const words = events.flatMap((event) => {
    if (event.type === 'usage' || event.type === 'raw') return [];
    if (event.type === 'session_status') return [`session_status ${event.data.status}`];
    if (event.type === 'tool_call_start') return [`tool_call_start ${event.data.tool}`];
    if (event.type === 'tool_result') return [`tool_result ${event.data.isError ? 'failed' : 'done'}`];
    if (event.type === 'approval_required') return [`approval_required ${event.data.approval.tool}`];
    if (event.type === 'approval_resolved') return [`approval_resolved ${event.data.state}`];
    if (event.type === 'turn_end') return [`turn_end ${event.data.outcome}`];
    return [event.type];
  });
  return words.filter((word, index) => word !== words[index - 1]);
}
