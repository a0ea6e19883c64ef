// The gate in the CLI for the tools it runs itself: a hook that judges every call in every mode, and the place where a
// call waits for its person. Whatever is unclear is refused. Our own tools are judged where they run (process/turn.ts): asking
// here as well would only cost the CLI another round on its line.
import type { CanUseTool, HookCallback, Options, PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import type { EngineHost, Settled, ToolSpec, Verdict } from '@toolyard/sdk';
import { excludeSecrets } from '../tools/search-scope.ts';
import { toOurName } from '../tools/tool-blocks.ts';
import { planFileTool, touchesPlanFile } from './plan-file.ts';
import { askPerson, isQuestion } from './questions.ts';

/** Longer than any approval waits: the CLI refuses a call whose hook is late, and ours only decides. */
const hookSeconds = 120;

/** The turn that calls are made in. */
export interface GatedTurn {
  host: EngineHost;
  /** Resolves when the log knows the call, with all of its input, and gives that. */
  announced(callId: string): Promise<unknown>;
}

type Ask = Extract<Verdict, { decision: 'ask' }>;

/** `tools` are ours. */
export function createGate(
  current: () => GatedTurn | undefined,
  tools: readonly ToolSpec[],
): Pick<Options, 'hooks' | 'canUseTool'> {
  const ours = new Set(tools.map(({ name }) => name));
  const asking = new Map<string, Ask>();
  /** Decided here; the CLI may have rules of its own that ask once more. */
  const allowed = new Set<string>();
  let last: GatedTurn | undefined;

  /** The turn under way; what was decided in an earlier one is forgotten. */
  function enter(): GatedTurn | undefined {
    const turn = current();
    if (turn === last) return turn;
    asking.clear();
    allowed.clear();
    last = turn;
    return turn;
  }

  const judge: HookCallback = async (input) => {
    if (input.hook_event_name !== 'PreToolUse') return {};
    const { tool_name, tool_input, tool_use_id: id, mcp_server } = input;
    const turn = enter();
    if (!turn) return toHookOutput('deny', 'The call was not run: no turn is running.');
    if (tool_name.startsWith('mcp__') && mcp_server?.source !== 'sdk')
      return toHookOutput('deny', 'The call was not run: its server does not belong to Toolyard.');
    await turn.announced(id);
    if (turn.host.signal.aborted)
      return toHookOutput('deny', 'The call was not run: the turn was interrupted.');
    const name = (await touchesPlanFile(input)) ? planFileTool : toOurName(tool_name);
    const verdict = await turn.host.judge({ id, name, input: tool_input });
    if (verdict.decision === 'deny') return toHookOutput('deny', verdict.reason);
    if (verdict.decision === 'allow') {
      // The answer to a question is given where the CLI would ask for consent.
      if (isQuestion(tool_name)) return toHookOutput('ask', 'A question to the person.');
      allowed.add(id);
      return toHookOutput('allow', 'Decided by Toolyard.', excludeSecrets(tool_name, verdict.input));
    }
    asking.set(id, verdict);
    return toHookOutput('ask', 'A person is asked.');
  };

  const permit: CanUseTool = async (tool, input, { toolUseID: id, signal }) => {
    const turn = enter();
    if (!turn) return deny('The call was not run: no turn is running.');
    // Somebody's policy may make the CLI ask about ours too; what they may do is decided where they run.
    if (ours.has(tool)) return { behavior: 'allow', updatedInput: input };
    if (allowed.has(id)) return { behavior: 'allow', updatedInput: toRecord(excludeSecrets(tool, input)) };
    const ask = asking.get(id);
    asking.delete(id);
    if (!ask && !isQuestion(tool)) return deny('The call was not run: there is no decision for it.');
    const permission = ask ? toPermission(tool, await ask.answered(), signal) : undefined;
    return isQuestion(tool) && permission?.behavior !== 'deny'
      ? askPerson({ id, tool, input, sent: await turn.announced(id) }, turn.host)
      : (permission ?? deny('The call was not run: there is no decision for it.'));
  };

  return {
    canUseTool: (...asked) =>
      permit(...asked).catch(() => deny('The call was not run: Toolyard could not decide on it.')),
    hooks: {
      PreToolUse: [{ matcher: allBut([...ours]), hooks: [judge], onFailure: 'block', timeout: hookSeconds }],
    },
  };
}

/** Every name but those of our tools, as a pattern of the CLI's. Their characters are all plain. */
function allBut(names: readonly string[]): string {
  return `^(?!(${names.join('|')})$)`;
}

function toPermission(tool: string, settled: Settled, signal: AbortSignal): PermissionResult {
  if (settled.decision === 'deny') return deny(settled.reason);
  if (signal.aborted) return deny('The call was not run: the turn was interrupted.');
  return { behavior: 'allow', updatedInput: toRecord(excludeSecrets(tool, settled.input)) };
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message };
}

function toHookOutput(permissionDecision: 'allow' | 'deny' | 'ask', reason: string, input?: unknown) {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse' as const,
      permissionDecision,
      permissionDecisionReason: reason,
      ...(input !== undefined && { updatedInput: toRecord(input) }),
    },
  };
}

function toRecord(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {};
}
