// What the HTTP rooms are given.
import type { Health } from '@toolyard/sdk';
import type { Log } from '../core/log.ts';
import type { Logger } from '../core/ports.ts';
import type { Sessions } from '../core/sessions.ts';
import type { Toolbox } from '../core/toolbox.ts';
import type { Turns } from '../core/turns.ts';
import type { Readers } from './readers.ts';

export interface HttpDeps {
  sessions: Sessions;
  turns: Turns;
  toolbox: Toolbox;
  log: Log;
  logger: Logger;
  readers: Readers;
  token: string;
  /** The address the server was told to listen on. */
  listenHost(): string;
  health(): Health;
}
