// `agents await` across a server that is killed: it finds the next one, and says how the agent ended.
import { pause } from '@toolyard/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, endProcess, type TestHome } from '../toolyard-process.ts';

let yard: TestHome;
beforeAll(async () => {
  yard = await createHome();
});
afterAll(() => yard.end());

it('waits through kill -9 and a restart, and hears that the agent was cut off', {
  timeout: 60_000,
}, async () => {
  await yard.start(['serve', '--rehearse']).until(/listens at/);
  const drafted = await yard.run(['agents', 'draft', '--role', 'assistant', 'tell me a long story, slowly']);
  const id = drafted.stdout.trim();
  const client = await yard.client();
  while ((await client.agents.get(id)).status === 'queued') await pause(20);
  const waiting = yard.start(['agents', 'await', id]);
  await waiting.until(/is running/);
  endProcess((await yard.server())?.pid ?? 0);
  const { code, stdout } = await waiting.finished;
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^✗ .* \(restarted\)\n/)]);
  const again = await yard.run(['agents', 'await', id]);
  expect([again.code, again.stdout]).toEqual([code, stdout]);
});
