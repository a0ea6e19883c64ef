// What the HTTP rooms are given beside the core.
import type { Finding, Health } from '@toolyard/sdk';
import type { Backups } from '../../core/backup/backups.ts';
import type { Core } from '../../core/core.ts';
import type { Principal } from '../../core/identity/principals.ts';
import type { ReaderLimits, Readers } from './readers.ts';

export interface HttpDeps {
  core: Core;
  backups: Backups;
  readers: Readers;
  readerLimits: ReaderLimits;
  /** The address the server was told to listen on. */
  listenHost(): string;
  /** The address of the proxy in front of the server, as an origin. */
  publicUrl: string | undefined;
  health(): Health;
  /** Where the built page lies. */
  pageFolder: string;
  /** Looks at the machine and the home. */
  diagnose(): Promise<Finding[]>;
  /** Of this program, as the OpenAPI document says it. */
  version: string;
  /** Answers a request at /mcp. `body` is what the body of a POST says, parsed. */
  mcp(request: Request, principal: Principal, body: unknown): Promise<Response>;
}
