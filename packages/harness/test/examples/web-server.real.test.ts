// The example of docs/library.md: a web server with a yard inside, driven as its page drives it.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Event, parseEvent, readSse } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf, endOf, textOf } from '../acceptance/turn-outline.ts';
import { createHome, type TestHome } from '../cli/toolyard-process.ts';

const program = fileURLToPath(new URL('../../../../examples/web-server/serve.ts', import.meta.url));
let home: TestHome;
let server: ChildProcess;
let url = '';
let printed = '';

beforeAll(async () => {
  home = await createHome();
  server = spawn(process.execPath, ['--conditions=toolyard-source', program, '0'], {
    cwd: home.work,
    env: home.env,
  });
  url = await new Promise<string>((resolve, reject) => {
    server.stdout?.on('data', (bytes) => {
      printed += bytes;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (found) resolve(found);
    });
    server.once('exit', (code) => reject(new Error(`the example ended with ${code}`)));
  });
});
afterAll(async () => {
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  expect(await gone).toBe(0);
  await home.end();
});

function post(path: string, body: unknown = {}, options: RequestInit = {}): Promise<Response> {
  return fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), ...options });
}

async function openSession(): Promise<string> {
  const { id } = await (await post('/sessions')).json();
  return id;
}

/** The events of a turn as they come; `hear` may act on each. */
async function say(
  id: string,
  content: string,
  hear: (event: Event) => unknown = () => {},
  options?: RequestInit,
): Promise<Event[]> {
  const response = await post(`/sessions/${id}/messages`, { content }, options);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: Event[] = [];
  for await (const { data } of readSse(response.body ?? new ReadableStream())) {
    const event = parseEvent(JSON.parse(data));
    events.push(event);
    await hear(event);
  }
  return events;
}

describe('the web server', () => {
  it('shows its page', async () => {
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('<h1>The shop</h1>');
  });

  it('streams a turn, with a call of the tool inside', async () => {
    const events = await say(await openSession(), 'what is the price of tea');
    expect(callsOf(events)).toEqual([
      {
        tool: 'mcp__shop__find_price',
        input: { item: 'tea' },
        isError: false,
        output: { item: 'tea', euros: 4 },
      },
    ]);
    expect(textOf(events)).toBe('tea costs 4 euros.');
  });

  it('asks in the middle of the stream, and goes on when the page has answered', async () => {
    const events = await say(await openSession(), 'order tea', async (event) => {
      if (event.type !== 'approval_required') return;
      const { id, preview } = event.data.approval;
      expect(preview).toBe('2 × tea for 8 euros');
      expect((await post(`/approvals/${id}`, { decision: 'allow' })).status).toBe(200);
    });
    expect(textOf(events)).toBe('Ordered 2 × tea for 8 euros.');
    await expect.poll(() => printed).toContain('ordered: 2 × tea');
  });

  it('stops the turn of a reader who leaves, and keeps the session for the next message', async () => {
    const id = await openSession();
    const leave = new AbortController();
    const approvals: string[] = [];
    const left = say(
      id,
      'order tea',
      (event) => {
        if (event.type !== 'approval_required') return;
        approvals.push(event.data.approval.id);
        leave.abort();
      },
      { signal: leave.signal },
    );
    await expect(left).rejects.toThrow('abort');
    // Nobody answered, so a turn that went on would keep this one waiting.
    expect(endOf(await say(id, 'what is the price of tea'))).toEqual({ outcome: 'completed' });
    const late = await post(`/approvals/${approvals[0]}`, { decision: 'allow' });
    expect(await late.json()).toMatchObject({ error: { code: 'already_answered' } });
  });

  it.each([
    [
      'a page of another origin',
      '/sessions',
      { headers: { origin: 'http://elsewhere.example' } },
      'Only pages',
    ],
    ['a session that is not there', '/sessions/ses_0/messages', {}, 'There is no such session.'],
    ['a message without words', '', { body: '{}' }, 'content must be'],
    ['what is no JSON', '', { body: '{' }, 'The body is no JSON.'],
    ['what is not there', '/elsewhere', {}, 'There is nothing at POST /elsewhere.'],
  ])('refuses %s', async (_, path, options, words) => {
    const response = await post(
      path || `/sessions/${await openSession()}/messages`,
      { content: 'hi' },
      options,
    );
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toContain(words);
  });
});
