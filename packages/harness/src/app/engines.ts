// The engines of a yard, and which of them drives where nobody says.
import type { Config } from '@toolyard/sdk';
import type { Traces } from '../core/operator-log/traces.ts';
import { isClaudeModel } from '../engines/claude/check-model.ts';
import { createClaudeEngine } from '../engines/claude/engine.ts';
import { isSdkInstalled } from '../engines/claude/lib/sdk.ts';
import { createNativeEngine } from '../engines/native/engine.ts';
import { createRegistry, type EngineRegistry } from '../engines/registry.ts';
import { whyUnconfined } from '../sandbox/probe.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { version } from './home.ts';
import type { OwnModels } from './model-access.ts';
import type { YardOptions } from './yard.ts';

export interface EngineParts {
  options: YardOptions;
  config: Config;
  model: OwnModels;
  sandbox: Promise<Pick<Sandbox, 'spawn' | 'openShell' | 'hasViews'>>;
  traces: Traces;
}

/** Claude drives when it can reach a model of the person's own; the native engine always can rehearse. */
export function createEngines({ options, config, model, sandbox, traces }: EngineParts): EngineRegistry {
  const only = options.engine;
  if (only) return createRegistry([only], () => only);
  const { resolve: access, check: checkModel } = model.models;
  const native = createNativeEngine({ access, checkModel });
  const claude = createClaudeEngine({
    env: options.env,
    config: config.claude,
    streamTimeoutMs: config.mcp.streamTimeout,
    version,
    home: options.home,
    hasViews: async () => (await sandbox).hasViews(),
    spawn: async (spec) => (await sandbox).spawn(spec),
    unconfined: () => whyUnconfined(options.env),
    openShell: async () => (await sandbox).openShell(),
    access: model.claudeAccess,
    tapOf: traces.tapOf,
  });
  const byClaude = model.hasAnthropic && isSdkInstalled();
  const auto = (name = '') => (byClaude && isClaudeModel(name) ? claude : native);
  return createRegistry([native, claude], auto);
}
