// What a yard is opened with, and what it then is.
import type { Client, Config, Engine, Role, Store, Toolkit, ToolyardError } from '@toolyard/sdk';
import type { Hooks } from '../core/calls/hooks.ts';
import type { ConfigInput } from '../core/config/config.ts';
import type { Clock, Logger, OnCrashPoint } from '../core/lib/ports.ts';
import type { ListenOptions } from '../http/server/listen.ts';
import type { ReaderLimits } from '../http/server/readers.ts';
import type { LogEntry } from './logs.ts';

export interface YardOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  /** Directory of sessions that name none. */
  workspace?: string;
  /** Written over the home's own configuration. */
  overlay?: ConfigInput;
  /** Roles beside those that ship and those of the home. */
  roles?: readonly Role[];
  /** Use the scripted model even when a key is there. */
  rehearse?: boolean;
  /** What the scripted model says: a scenario file, or a folder of them. */
  scenario?: string;
  /** Write down what goes between engines and their own programs, for every session. */
  trace?: boolean;
  /** Another process took this home over, so this one must stop. */
  onFatal?: (error: ToolyardError) => void;
  /** Hears that the database is upgraded, which may take its time. */
  onUpgrade?: (message: string) => void;
  /** For tests: another engine in place of the built-in ones, a store with faults, further toolkits, crash points. */
  engine?: Engine;
  hooks?: Hooks;
  wrapStore?: (store: Store) => Store;
  /** The most pages the database may have: a small disk. */
  maxPages?: number;
  toolkits?: readonly Toolkit[];
  /** Less patience with readers than a person's server has. */
  readerLimits?: Partial<ReaderLimits>;
  onCrashPoint?: OnCrashPoint;
  /** Another time of day. Timers go on by the real one. */
  clock?: Clock;
  /** In place of the files in the home. */
  logger?: Logger;
  /** Hears what is logged, as data and as a line: for a terminal. */
  onLog?: (entry: LogEntry, line: string) => void;
}

export interface Yard {
  config: Config;
  token: string;
  rehearsing: boolean;
  /** Serves HTTP on a socket and leaves word of it in the home. */
  listen(at: ListenOptions): Promise<{ url: string; host: string; port: number }>;
  /** The same HTTP app without a socket. */
  fetch(request: Request): Promise<Response>;
  client(): Client;
  activity(): { idleSince: number | undefined };
  /** Refuses new work, ends turns, lets readers go, flushes and gives up the home. */
  close(): Promise<void>;
}
