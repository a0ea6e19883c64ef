// A server of its own for the soak test: drives one session through its turns, weighs itself after each, closes, and
// must then end by itself. Prints one line of JSON.
import { createClient, type Event } from '@toolyard/sdk';
import { openYard } from '../../../src/app.ts';
import { type Weight, weigh } from './soak-weight.ts';

export interface CallsOrder {
  home: string;
  userHome: string;
  work: string;
  modelUrl: string;
  turns: number;
}

export interface SoakedCalls {
  calls: number;
  failed: number;
  /** After each turn. */
  weights: Weight[];
  /** Before anything was opened, and when everything is closed. */
  before: Weight;
  left: Weight;
  tookMs: number;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function soak({ home, userHome, work, modelUrl, turns }: CallsOrder): Promise<SoakedCalls> {
  const before = await weigh();
  const yard = await openYard({
    home,
    workspace: work,
    logger: silent,
    env: { PATH: process.env.PATH, HOME: userHome, ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'soak' },
  });
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  const client = createClient({ baseUrl: url, token: yard.token });
  const begun = performance.now();
  const { id } = await client.sessions.create({ engine: 'claude', mode: 'bypassPermissions' });
  const counts = { calls: 0, failed: 0 };
  const weights: Weight[] = [];
  const count = (event: Event) => {
    if (event.type === 'tool_result') counts.calls++;
    if (event.type === 'tool_result' && event.data.isError) counts.failed++;
  };
  for (let turn = 0; turn < turns; turn++) {
    const { turnId, seq } = await client.sessions.send(id, `turn ${turn}`);
    for await (const event of client.sessions.events(id, { after: seq })) {
      count(event);
      if (event.type === 'turn_end' && event.data.turnId === turnId) break;
    }
    weights.push(await weigh());
  }
  const tookMs = Math.round(performance.now() - begun);
  await yard.close();
  return { ...counts, weights, before, left: await weigh(), tookMs };
}

const soaked = await soak(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify(soaked)}\n`);
