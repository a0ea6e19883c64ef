// Workspaces on real files for tests of roles, trust and configuration, with a real store behind them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Actor, Config, ToolyardError } from '@toolyard/sdk';
import { onTestFinished } from 'vitest';
import { createTrust } from '../../src/core/access/trust.ts';
import { createLiveConfig } from '../../src/core/config/current-config.ts';
import { createRoles } from '../../src/core/roles/roles.ts';
import { createConfigs } from '../../src/core/workspace/workspace-config.ts';
import { openStore } from '../../src/store/open.ts';
import { memoryRoot } from './yard.ts';

export const person: Actor = { kind: 'person', id: 'owner', via: 'test' };

export const shippedFolder = fileURLToPath(new URL('../../roles', import.meta.url));

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder with these files that is gone when the test is. */
export function makeFolder(files: Files = {}, parent = tmpdir()): string {
  const root = realpathSync(mkdtempSync(join(parent, 'toolyard-workspace-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  writeFiles(root, files);
  return root;
}

export function writeFiles(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Trust, roles and configurations as the app wires them, over a new home. */
export async function openHouse(base: Config = Config.parse({}), home = makeFolder({}, memoryRoot)) {
  const clock = { now: () => Date.now() };
  const store = await openStore({
    path: join(home, 'toolyard.db'),
    clock,
    owner: { pid: process.pid, host: 'test' },
    onLost: () => {},
  });
  onTestFinished(() => store.close());
  const trust = createTrust({ store, clock, home, shippedFolder, config: createLiveConfig(base) });
  return {
    home,
    base,
    store,
    trust,
    roles: createRoles({ shippedFolder, home, clock, trust }),
    configs: createConfigs({ base: createLiveConfig(base), trust }),
    /** Looks and trusts what was seen. */
    async trustNow(workspace: string) {
      const { hash } = await trust.inspect(workspace);
      return trust.trust(workspace, hash, person);
    },
  };
}

/** The code and the message a promise was rejected with; anything but an error of ours fails the test. */
export async function refusalOf(work: Promise<unknown> | (() => unknown)): Promise<[string, string]> {
  const thrown = await (typeof work === 'function' ? (async () => work())() : work).then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (thrown instanceof ToolyardError) return [thrown.code, thrown.message];
  throw thrown;
}
