// A program with a yard in it, as a user would write one. Says what it saw, and ends when nothing holds it any more.
import { setTimeout as after } from 'node:timers/promises';
import { createToolyard } from '../../src/index.ts';
import { math } from './math-toolkit.ts';

const [, , engine = 'native', scenario = ''] = process.argv;
const seen = await talk();
// What was closed may take a moment to be gone.
for (let waited = 0; listLeft().length > 0 && waited < 20; waited++) await after(50);
process.stdout.write(JSON.stringify({ ...seen, left: listLeft() }));

async function talk() {
  await using yard = await createToolyard({ toolkits: [math], rehearse: true, scenario });
  const session = await yard.sessions.create({ engine });
  const servers = process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const turn = session.send('add 2 and 3');
  const calls: string[] = [];
  for await (const event of turn) if (event.type === 'tool_call_start') calls.push(event.data.tool);
  return { servers, engine: session.engine, answer: await turn.text(), calls };
}

/** Without the pipes of this process itself. */
function listLeft(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'Timeout');
}
