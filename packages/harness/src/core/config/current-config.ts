// The person's configuration as it is now: that of the start, until somebody changes what may change meanwhile.
import type { Config } from '@toolyard/sdk';

export interface LiveConfig {
  /** Another object after every change. */
  current(): Config;
  replace(config: Config): void;
  /** Hears of every change. */
  onReplaced(listener: () => void): void;
}

export function createLiveConfig(config: Config): LiveConfig {
  let current = config;
  const listeners: (() => void)[] = [];
  return {
    current: () => current,
    replace(next) {
      current = next;
      for (const listener of listeners) listener();
    },
    onReplaced: (listener) => void listeners.push(listener),
  };
}
