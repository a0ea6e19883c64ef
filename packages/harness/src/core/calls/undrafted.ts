// Calls that draft an agent, and that a restart has found under way: whether one of them has drafted it.
import type { StoreReads, ToolCallRow } from '@toolyard/sdk';

export const draftTool = 'mcp__toolyard__draft_agent';

/** More than one session drafts. */
const mostDrafted = 10_000;

/** It drafts, and nothing of that is stored, as while its person is asked about a limit: to run it again is to run it once. */
export async function isUndrafted(reads: StoreReads, row: ToolCallRow): Promise<boolean> {
  if (row.tool !== draftTool) return false;
  const { sessionId: parentSessionId, turnId, callId } = row;
  const drafted = await reads.dispatches({ parentSessionId, limit: mostDrafted });
  return !drafted.some(({ call }) => call?.turnId === turnId && call.toolCallId === callId);
}
