// The real command with the real engine, killed in the middle of an answer: the next start loses nothing of it, and
// a retry goes on after the call that was done.
import { createClient, type Event } from '@toolyard/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { readToken } from '../../src/core/files/home.ts';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { createHome, type TestHome } from '../cli/toolyard-process.ts';

const ping = 'mcp__toolyard__ping';

/** First a call, then an answer that takes a while. */
const scenario = {
  rules: [
    { when: { step: 0 }, reply: [{ text: 'Let me ping. ' }, { call: { tool: ping, input: {} } }] },
    { when: { step: 1 }, reply: [{ text: 'slow ', repeat: 60 }], pace: { chunkChars: 5, delayMs: 20 } },
  ],
};

async function createPerson(): Promise<TestHome> {
  const rehearsal = await serveRehearsal({ scenarios: [scenario] });
  onTestFinished(() => rehearsal.close());
  const home = await createHome({ ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: 'any' });
  onTestFinished(home.end);
  return home;
}

async function serve(home: TestHome) {
  const { child, finished, until } = home.start(['serve']);
  const [baseUrl] = await until(/http:\/\/127\.0\.0\.1:\d+/);
  const token = await readToken(home.home, {});
  return { child, finished, client: createClient({ baseUrl, ...(token && { token }) }) };
}

type Server = Awaited<ReturnType<typeof serve>>;

async function readUntil(
  { client }: Server,
  id: string,
  isLast: (event: Event) => boolean,
): Promise<Event[]> {
  const seen: Event[] = [];
  for await (const event of client.sessions.events(id, { signal: AbortSignal.timeout(15_000) })) {
    seen.push(event);
    if (isLast(event)) return seen;
  }
  throw new Error(`the log ended after ${seen.length} events`);
}

function countOf(log: readonly Event[], type: Event['type']): number {
  return log.filter((event) => event.type === type).length;
}

test('P1, P12: a server killed in the middle of an answer keeps what was said, and a retry goes on', async () => {
  const home = await createPerson();
  const first = await serve(home);
  const { id } = await first.client.sessions.create({ mode: 'acceptEdits' });
  await first.client.sessions.send(id, 'ping slowly');
  let afterResult = 0;
  const seen = await readUntil(first, id, ({ type }) => {
    afterResult += type === 'tool_result' || afterResult > 0 ? 1 : 0;
    return afterResult > 5;
  });
  first.child.kill('SIGKILL');
  await first.finished;

  const second = await serve(home);
  const kept = await readUntil(second, id, ({ type }) => type === 'turn_end');
  expect(kept.slice(0, seen.length)).toEqual(seen);
  expect(kept.at(-1)).toMatchObject({ data: { outcome: 'failed', error: { code: 'restarted' } } });

  const { turnId } = await second.client.sessions.retry(id);
  const whole = await readUntil(
    second,
    id,
    ({ type, data }) => type === 'turn_end' && data.turnId === turnId,
  );
  expect(whole.at(-1)).toMatchObject({ data: { outcome: 'completed' } });
  expect(countOf(whole, 'tool_result')).toBe(1);
  expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index + 1));
});
