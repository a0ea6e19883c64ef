// The engines of this installation, by name.
import { type Engine, ToolyardError } from '@toolyard/sdk';

/** Builds the look-up: `auto` is the first engine given. */
export function createRegistry(engines: readonly [Engine, ...Engine[]]): (name: string) => Engine {
  return (name) => {
    const found = name === 'auto' ? engines[0] : engines.find(({ id }) => id === name);
    if (found) return found;
    const known = engines.map(({ id }) => id).join(', ');
    throw new ToolyardError(
      'unknown_engine',
      `There is no engine "${name.slice(0, 64)}". Engines: auto, ${known}.`,
    );
  };
}
