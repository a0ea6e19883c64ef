// All that a CLI process is given for life, made before it is known which session it will serve: our tools as fresh
// server instances, the gate, and an empty place where that session sits down.
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import type { EngineSpec, ProcessView, ToolCall, ToolOutcome } from '@toolyard/sdk';
import { createGate } from '../gate/gate.ts';
import { type Launch, toProcessOptions } from '../gate/options.ts';
import { createToolServers } from '../gate/tool-server.ts';
import type { OpenTurn } from './turn.ts';

export interface ProcessSetup {
  /** Equal for processes that can serve the same sessions. */
  key: string;
  options: Options;
  view: ProcessView | undefined;
  /** From now on every call belongs to the turn that this finds. */
  bindTurn(current: () => OpenTurn | undefined): void;
}

export type ProcessSetupSpec = Pick<EngineSpec, 'tools' | 'nativeTools' | 'maxSteps'>;

export async function createProcessSetup(
  spec: ProcessSetupSpec,
  launch: Launch,
  version: string,
): Promise<ProcessSetup> {
  let find: () => OpenTurn | undefined = () => undefined;
  const current = () => find();
  const runCall = async (call: ToolCall): Promise<ToolOutcome> =>
    current()?.runCall(call) ?? {
      toolCallId: call.id,
      tool: call.name,
      isError: true,
      text: 'The call was not run: no turn is running.',
    };
  return {
    key: toKey(spec, launch),
    options: {
      ...toProcessOptions(spec, launch),
      ...createGate(current, spec.tools),
      mcpServers: await createToolServers(spec.tools, { version, runCall }),
    },
    view: launch.isolation.view,
    bindTurn(next) {
      find = next;
    },
  };
}

export function toKey(
  { tools, nativeTools, maxSteps }: ProcessSetupSpec,
  { access, isolation }: Launch,
): string {
  return JSON.stringify([tools.map(({ name }) => name), nativeTools, maxSteps, access, isolation.env]);
}
