// Agents from the command line, in real processes: `run` as it always was, and `run` of a coordinator with a task.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Rehearsal, serveRehearsal } from '../../src/rehearsal/serve.ts';
import { createHome, type TestHome } from '../cli/toolyard-process.ts';
import { engines, setEngineStage } from './engine-yard.ts';

setEngineStage();

let rehearsal: Rehearsal;
let at: TestHome;
beforeAll(async () => {
  rehearsal = await serveRehearsal({ scenarioPath: fileURLToPath(new URL('./flow.yaml', import.meta.url)) });
  at = await createHome({ ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: 'key-of-the-tests' });
});
afterAll(async () => {
  await at.end();
  await rehearsal.close();
});

const anyway = ['--mode', 'bypassPermissions'];

it.each(engines)('`run --role developer` with %s does its work by itself, as before', async (engine) => {
  const said = await at.run(['run', '--engine', engine, '--role', 'developer', 'say something']);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('what to do with: say something') });
  expect((await (await at.client()).agents.list({ all: true })).items).toEqual([]);
});

it('`run --role coordinator --task` makes the task, its agents work on it, and its story can be read afterwards', async () => {
  const { code, stdout } = await at.run([
    ...['run', '--engine', 'native', '--role', 'coordinator', '--task', 'checkout', ...anyway, 'flow'],
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('All done.')]);
  const client = await at.client();
  expect(await client.tasks.get('checkout')).toMatchObject({ slug: 'checkout', dispatchCount: 2 });
  expect((await client.agents.list({ all: true })).items).toMatchObject([
    { role: 'developer', taskSlug: 'checkout', status: 'done', depth: 1 },
  ]);
  expect((await client.tasks.context('checkout')).context).toContain('Built the-form for checkout.');
});
