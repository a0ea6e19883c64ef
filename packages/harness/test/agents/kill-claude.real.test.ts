// P7, P13: an agent is killed at whatever moment of its start: its program is gone when the answer comes, and does not
// come into being afterwards.
import { pause } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { cliProcesses } from '../acceptance/cli-processes.ts';
import { openEngineYard } from './engine-yard.ts';

const moments = [0, 60, 300, 800];
const slow = { pace: { initialDelayMs: 60_000 }, reply: [{ text: 'late' }] };

it('P7, P13: killed at any moment of its start, an agent leaves no program of the CLI', async () => {
  const { client, user } = await openEngineYard({ scenario: [slow] });
  const seen: unknown[] = [];
  for (const waitMs of moments) {
    const { id } = await client.agents.draft({ role: 'developer', prompt: `wait ${waitMs}` });
    await pause(waitMs);
    const { success } = await client.agents.kill(id);
    const left = (await cliProcesses(user)).length;
    const { status } = await client.agents.get(id);
    seen.push({ waitMs, success, left, status });
  }
  await pause(500);
  expect(seen).toEqual(
    moments.map((waitMs) => ({
      ...{ waitMs, success: true, left: 0, status: 'killed' },
    })),
  );
  expect(await cliProcesses(user)).toEqual([]);
});
