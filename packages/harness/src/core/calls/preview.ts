// What an approver sees beside the input. A tool makes it, so it is bounded in time and size, and may fail.
import type { Tool, ToolContext } from '@toolyard/sdk';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';

const withinMs = 10_000;
const longest = 20_000;

/** The preview, if the tool has one; or why it could not be made. */
export async function toPreview(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<{ preview: string | undefined } | { failed: string }> {
  if (!tool.preview) return { preview: undefined };
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(withinMs)]);
  try {
    const made = Promise.resolve(tool.preview(input, { ...context, signal }));
    const preview = await settleWithin(made, signal, 0);
    if (preview === stillRunning) return { failed: 'its preview took too long' };
    return { preview: String(preview).slice(0, longest) };
  } catch {
    return { failed: 'its preview could not be made' };
  }
}
