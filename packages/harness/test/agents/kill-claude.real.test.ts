// P7, P13: an agent is killed at whatever moment of its start: its program is gone when the answer comes, and does not
// come into being afterwards.
import { pause } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { cliProcesses } from '../acceptance/cli-processes.ts';
import { openEngineYard, setEngineStage, until } from './engine-yard.ts';

setEngineStage();

/** Milliseconds after it was drafted; or when its program runs, which the earlier ones would by then as well. */
const moments = [0, 60, 300, 'running'] as const;
const slow = { pace: { initialDelayMs: 60_000 }, reply: [{ text: 'late' }] };

it('P7, P13: killed at any moment of its start, an agent leaves no program of the CLI', async () => {
  const { client, user } = await openEngineYard({ scenario: [slow] });
  const seen: unknown[] = [];
  const isRunning = async () => (await cliProcesses(user)).length > 0 || undefined;
  for (const moment of moments) {
    const { id } = await client.agents.draft({ role: 'developer', prompt: `wait ${moment}` });
    if (moment === 'running') await until('no program runs', isRunning);
    else await pause(moment);
    const { success } = await client.agents.kill(id);
    const left = (await cliProcesses(user)).length;
    const { status } = await client.agents.get(id);
    seen.push({ moment, success, left, status });
  }
  expect(seen).toEqual(moments.map((moment) => ({ moment, success: true, left: 0, status: 'killed' })));
  expect(await cliProcesses(user)).toEqual([]);
});
