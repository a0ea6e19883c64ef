// Before a call is judged: is there such a tool for this role, is the input right, what do hooks say?
import type { Config, NativeTool, Role, ToolCall, ToolInfo } from '@toolyard/sdk';
import { type Above, judgeAccess, judgeHostTool } from '../access/access.ts';
import { nearest } from '../lib/nearest.ts';
import type { Logger } from '../lib/ports.ts';
import { settleWithin, stillRunning } from '../lib/settle-within.ts';
import { type Target, toHostTarget, toNativeTarget } from './call-target.ts';
import { type Hooks, runBefore } from './hooks.ts';
import type { JudgedCall, JudgeScope } from './judge.ts';
import type { ToolRegistry } from './tool-registry.ts';

export interface PreparationDeps {
  registry: ToolRegistry;
  hooks: Hooks;
  logger: Logger;
}

/** A call that may be judged. */
export interface Ready {
  target: Target;
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
  /** Those that have drafted its agent. */
  above?: Above;
  /** The own tools of the engine that calls, if an engine does. */
  nativeTools?: readonly NativeTool[];
}

const interrupted: Refused = {
  refused: 'The call was not run: the turn was interrupted.',
  rule: 'interrupted',
};

export function createPreparation({ registry, hooks, logger }: PreparationDeps) {
  const infos = [...registry.values()].map(({ info }) => info);
  const hostTargets = new Map([...registry].map(([name, registered]) => [name, toHostTarget(registered)]));

  function isOffered(info: ToolInfo, { role, config, above }: Holder): boolean {
    return judgeHostTool(role, info, config, above).offered;
  }

  /** Roles and configurations are the same objects until their files change, and so is the list. */
  const lists = new WeakMap<Role, Pick<Holder, 'config' | 'above'> & { list: readonly ToolInfo[] }>();

  function list(holder: Holder): readonly ToolInfo[] {
    const { role, config, above } = holder;
    const known = lists.get(role);
    if (known && known.config === config && known.above === above) return known.list;
    const made = infos.filter((info) => isOffered(info, holder));
    lists.set(role, { config, above, list: made });
    return made;
  }

  /** What a role does not have is, for it, not there. */
  function find(name: string, holder: Holder): Target | undefined {
    const registered = registry.get(name);
    if (registered) return isOffered(registered.info, holder) ? hostTargets.get(name) : undefined;
    const native = holder.nativeTools?.find((tool) => tool.name === name);
    if (!native || !judgeAccess(holder.role, name, holder.config, holder.above).offered) return undefined;
    return toNativeTarget(native);
  }

  async function prepare(
    call: ToolCall,
    scope: JudgeScope & Holder & { signal: AbortSignal },
  ): Promise<Ready | Refused> {
    const { session, turnId, signal } = scope;
    if (signal.aborted) return interrupted;
    const target = find(call.name, scope);
    if (!target) return { refused: sayUnknown(call.name, list(scope)), rule: 'not offered to this role' };
    const first = parse(target, call.input);
    if ('refused' in first) return first;
    const hooked = {
      sessionId: session.id,
      turnId,
      toolCallId: call.id,
      tool: call.name,
      input: first.input,
    };
    const verdict = await settleWithin(runBefore(hooks, hooked, logger), signal, 0);
    if (verdict === stillRunning) return interrupted;
    if (!verdict) return first;
    return 'deny' in verdict
      ? { refused: verdict.deny, rule: 'hook beforeToolCall' }
      : parse(target, verdict.input);
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

function parse(target: Target, input: unknown): Ready | Refused {
  const parsed = target.parse(input);
  if ('input' in parsed) return { target, input: parsed.input };
  return {
    refused: `Invalid input for ${target.name}: ${parsed.invalid.slice(0, 2_000)}`,
    rule: 'invalid input',
  };
}

/** The call as the judge sees it. */
export function toJudged(callId: string, { target, input }: Ready): JudgedCall {
  const { name, effect, external, schemaHash, tier } = target;
  return {
    id: callId,
    tool: name,
    input,
    effect,
    external,
    schemaHash,
    toolTier: tier,
    ownKey: target.ownKey(input),
    paths: target.paths(input),
  };
}
