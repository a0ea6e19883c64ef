// The engines of this installation, by name.
import { type Engine, ToolyardError } from '@toolyard/sdk';

export interface EngineRegistry {
  readonly all: readonly Engine[];
  /** `model` decides when the name is `auto`. Throws `unknown_engine`. */
  find(name: string, model?: string): Engine;
  close(): Promise<void>;
}

/** `auto` stands for the engine that fits this installation and the model. */
export function createRegistry(
  engines: readonly Engine[],
  auto: (model: string | undefined) => Engine,
): EngineRegistry {
  return {
    all: engines,
    find(name, model) {
      const found = name === 'auto' ? auto(model) : engines.find(({ id }) => id === name);
      if (found) return found;
      const known = engines.map(({ id }) => id).join(', ');
      const message = `There is no engine "${name.slice(0, 64)}". Engines: auto, ${known}.`;
      throw new ToolyardError('unknown_engine', message);
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.close?.()));
    },
  };
}
