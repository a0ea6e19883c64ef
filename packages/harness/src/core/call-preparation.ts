// Before a call is judged: is there such a tool for this role, is the input right, what do hooks say?
import type { Config, Role, ToolCall, ToolInfo } from '@toolyard/sdk';
import { z } from 'zod';
import { judgeHostTool } from './access.ts';
import { toCanonical } from './canonical.ts';
import { type Hooks, runBefore } from './hooks.ts';
import type { JudgedCall, JudgeScope } from './judge.ts';
import { nearest } from './nearest.ts';
import type { Logger } from './ports.ts';
import type { RegisteredTool, ToolRegistry } from './tool-registry.ts';

export interface PreparationDeps {
  registry: ToolRegistry;
  hooks: Hooks;
  logger: Logger;
}

/** A call that may be judged. */
export interface Ready {
  registered: RegisteredTool;
  /** Parsed, and narrowed by hooks. */
  input: unknown;
}

/** A call that cannot even be judged: words for the model, and the rule for the evidence. */
export interface Refused {
  refused: string;
  rule: string;
}

/** Whose list it is: a role, within a configuration. */
export interface Holder {
  role: Role;
  config: Config;
}

export function createPreparation({ registry, hooks, logger }: PreparationDeps) {
  const infos = [...registry.values()].map(({ info }) => info);

  function isOffered(info: ToolInfo, { role, config }: Holder): boolean {
    return judgeHostTool(role, info, config).offered;
  }

  function list(holder: Holder): readonly ToolInfo[] {
    return infos.filter((info) => isOffered(info, holder));
  }

  /** What a role does not have is, for it, not there. */
  function find(name: string, holder: Holder): RegisteredTool | undefined {
    const registered = registry.get(name);
    return registered && isOffered(registered.info, holder) ? registered : undefined;
  }

  async function prepare(
    call: ToolCall,
    scope: JudgeScope & { signal: AbortSignal },
  ): Promise<Ready | Refused> {
    const { session, turnId, signal } = scope;
    if (signal.aborted)
      return { refused: 'The call was not run: the turn was interrupted.', rule: 'interrupted' };
    const registered = find(call.name, scope);
    if (!registered) return { refused: sayUnknown(call.name, list(scope)), rule: 'not offered to this role' };
    const first = parse(registered, call.input);
    if ('refused' in first) return first;
    const hooked = {
      sessionId: session.id,
      turnId,
      toolCallId: call.id,
      tool: call.name,
      input: first.input,
    };
    const verdict = await runBefore(hooks, hooked, logger);
    if (!verdict) return first;
    return 'deny' in verdict
      ? { refused: verdict.deny, rule: 'hook beforeToolCall' }
      : parse(registered, verdict.input);
  }

  return { list, find, prepare };
}

function sayUnknown(name: string, offered: readonly ToolInfo[]): string {
  const guess = nearest(
    name,
    offered.map((info) => info.name),
  );
  return `There is no tool ${name.slice(0, 100)}.${guess ? ` Did you mean ${guess}?` : ''}`;
}

function parse(registered: RegisteredTool, input: unknown): Ready | Refused {
  const parsed = registered.tool.input.safeParse(input);
  if (parsed.success) return { registered, input: parsed.data };
  const refused = `Invalid input for ${registered.info.name}: ${z.prettifyError(parsed.error).slice(0, 2_000)}`;
  return { refused, rule: 'invalid input' };
}

/** The call as the judge sees it. */
export function toJudged(callId: string, { registered, input }: Ready): JudgedCall {
  const { tool, info, schemaHash, external } = registered;
  const ownKey = toOwnKey(registered, input);
  return {
    id: callId,
    tool: info.name,
    input,
    effect: info.effect,
    external,
    schemaHash,
    toolTier: tool.tier,
    ownKey,
  };
}

/** A tool that cannot say what "the same call" is gets the strictest meaning: the whole input. */
function toOwnKey({ tool, info }: RegisteredTool, input: unknown): string | undefined {
  try {
    return tool.grantKey?.(input);
  } catch {
    return `${info.name} ${toCanonical(input)}`;
  }
}
