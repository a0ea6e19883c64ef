// The engines of this installation, by name.
import { type Engine, ToolyardError } from '@toolyard/sdk';

export interface EngineRegistry {
  readonly all: readonly Engine[];
  /** Throws `unknown_engine`. */
  find(name: string): Engine;
  close(): Promise<void>;
}

/** `auto` stands for the engine that fits this installation. */
export function createRegistry(engines: readonly Engine[], auto: Engine): EngineRegistry {
  return {
    all: engines,
    find(name) {
      const found = name === 'auto' ? auto : engines.find(({ id }) => id === name);
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
