// A whole server in this process, in a home of its own, that has nothing left to do.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { openYard, type Yard, type YardOptions } from '../../packages/harness/src/app.ts';

export interface Server extends AsyncDisposable {
  yard: Yard;
  url: string;
}

/** Past what a server does soon after its start. */
const quietAfterMs = 1_500;

export async function startServer(options: Partial<YardOptions>): Promise<Server> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-path-')));
  const [home, workspace] = [join(folder, 'home'), join(folder, 'work')];
  await mkdir(workspace);
  const env = { PATH: process.env.PATH, HOME: folder, TOOLYARD_LOG: 'silent', ...options.env };
  const yard = await openYard({ home, workspace, ...options, env });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  await pause(quietAfterMs);
  return {
    yard,
    url,
    async [Symbol.asyncDispose]() {
      await yard.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
