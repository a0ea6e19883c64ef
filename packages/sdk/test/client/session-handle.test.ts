// Sessions with their calls on them, over a carrier that is nothing but a function: a log, and who asked for what.
import { describe, expect, it } from 'vitest';
import {
  createClient,
  type Event,
  type EventDraft,
  type Session,
  ToolyardError,
  toSse,
  withSessionHandles,
} from '../../src/index.ts';

const id = `ses_${'0'.repeat(22)}`;
const turnId = `trn_${'1'.repeat(22)}`;
const otherTurn = `trn_${'2'.repeat(22)}`;
const at = '2026-01-01T00:00:00.000Z';

const session: Session = {
  id,
  title: '',
  role: 'assistant',
  engine: 'native',
  model: 'a/b',
  mode: 'default',
  status: 'idle',
  cwd: '/',
  workspace: '/',
  lastSeq: 0,
  rootSessionId: id,
  costUsd: 0,
  createdAt: at,
  updatedAt: at,
};

const message: EventDraft = { type: 'user_message', data: { content: 'add', turnId } };
const start: EventDraft = { type: 'turn_start', data: { turnId } };
const end: EventDraft = { type: 'turn_end', data: { turnId, outcome: 'completed', costUsd: 0 } };
const say = (text: string): EventDraft => ({ type: 'text_delta', data: { text } });
const call: EventDraft = { type: 'tool_call_start', data: { toolCallId: 'c', tool: 'mcp__math__add' } };

/** A server whose log grows by `append`; lines end after each answer, as broken ones would. */
function openServer(drafts: EventDraft[]) {
  const log: Event[] = [];
  const asked: string[] = [];
  const refusals = new Map<string, ToolyardError>();
  const append = (...more: EventDraft[]) => {
    for (const draft of more) log.push({ sessionId: id, seq: log.length + 1, at, ...draft });
  };
  append(...drafts);
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(`${request.method} ${pathname.replace(id, ':id').replace('/api/sessions', '')}`);
    const refusal = refusals.get(pathname.split('/').at(-1) ?? '');
    if (refusal) return Response.json({ error: refusal.toFailure() }, { status: 400 });
    if (pathname.endsWith('/events')) {
      const rest = log.filter(({ seq }) => seq > Number(searchParams.get('after')));
      const sse = rest.map((event) => toSse({ id: `${event.seq}`, data: JSON.stringify(event) })).join('');
      return new Response(sse, { headers: { 'content-type': 'text/event-stream' } });
    }
    if (pathname.endsWith('/messages') || pathname.endsWith('/retry'))
      return Response.json({ turnId, seq: log.findIndex(({ type }) => type === 'user_message') + 1 });
    if (pathname.endsWith('/interrupt')) return Response.json({ turnId });
    return Response.json({ ...session, lastSeq: log.length });
  };
  const yard = withSessionHandles(createClient({ baseUrl: 'http://127.0.0.1', fetch }));
  return { yard, asked, append, refuse: refusals.set.bind(refusals) };
}

async function typesOf(events: AsyncIterable<Event>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe('a session', () => {
  it('is the session as it was, with its calls on it', async () => {
    const { yard } = openServer([message]);
    const handle = await yard.sessions.create();
    expect(JSON.parse(JSON.stringify(handle))).toEqual({ ...session, lastSeq: 1 });
    expect(JSON.parse(JSON.stringify(await handle.get()))).toEqual({ ...session, lastSeq: 1 });
  });
});

describe('a message', () => {
  it('is sent at once, also when nobody reads the turn', async () => {
    const { yard, asked } = openServer([message, start, end]);
    const { accepted } = (await yard.sessions.create()).send('add');
    expect(await accepted).toEqual({ turnId, seq: 1 });
    expect(asked).toEqual(['POST ', 'POST /:id/messages']);
  });

  it('is answered by the events of its turn, past those of others, as often as they are read', async () => {
    const before: EventDraft = { type: 'turn_start', data: { turnId: otherTurn } };
    const after: EventDraft = {
      type: 'turn_end',
      data: { turnId: otherTurn, outcome: 'failed', costUsd: 0 },
    };
    const { yard } = openServer([before, message, say('other'), after, start, say('own'), end, say('late')]);
    const turn = (await yard.sessions.get(id)).send('add');
    const types = ['user_message', 'turn_start', 'text_delta', 'turn_end'];
    expect(await typesOf(turn)).toEqual(types);
    expect(await typesOf(turn)).toEqual(types);
    expect(await turn.text()).toBe('own');
  });

  it('has for its answer what was said past the last tool call', async () => {
    const { yard } = openServer([message, start, say('I will add.'), call, say('It '), say('is 5.'), end]);
    expect(await (await yard.sessions.create()).send('add').text()).toBe('It is 5.');
  });

  it.each([
    ['failed', { code: 'provider_auth', message: 'The key is wrong.' }, 'provider_auth', 'The key is wrong.'],
    ['interrupted', undefined, 'interrupted', 'The turn was interrupted.'],
    ['limit', undefined, 'step_limit', 'The turn reached a limit.'],
  ] as const)('has no answer when its turn has ended as %s', async (outcome, error, code, words) => {
    const data = { turnId, outcome, costUsd: 0, ...(error && { error }) };
    const { yard } = openServer([message, start, say('half'), { type: 'turn_end', data }]);
    const turn = (await yard.sessions.create()).send('add');
    await expect(turn.text()).rejects.toMatchObject({ code, message: words });
    expect((await typesOf(turn)).at(-1)).toBe('turn_end');
  });

  it('that is refused rejects wherever somebody looks, and nowhere else', async () => {
    const { yard, asked, refuse } = openServer([]);
    refuse('messages', new ToolyardError('invalid_request', 'Too short.'));
    const turn = (await yard.sessions.create()).send('add');
    await expect.poll(() => asked).toContain('POST /:id/messages');
    for (const looked of [turn.accepted, turn.text(), typesOf(turn)])
      await expect(looked).rejects.toMatchObject({ code: 'invalid_request', message: 'Too short.' });
  });

  it('whose session is deleted before its end says so', async () => {
    const deletion: EventDraft = { type: 'session_status', data: { status: 'closed', deleted: true } };
    const { yard } = openServer([message, start, deletion]);
    const turn = (await yard.sessions.create()).send('add');
    await expect(turn.text()).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('whose yard is closed before its end says so, though a log that is only read just ends', async () => {
    const { yard, refuse } = openServer([message, start]);
    refuse('events', new ToolyardError('closed', 'This yard is closed.'));
    expect(await typesOf(yard.sessions.events(id))).toEqual([]);
    const turn = (await yard.sessions.create()).send('add');
    await expect(turn.text()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a signal', () => {
  it('that is aborted beforehand sends nothing', async () => {
    const { yard, asked } = openServer([message, start, end]);
    const turn = (await yard.sessions.create()).send('add', { signal: AbortSignal.abort(new Error('no')) });
    const said = { code: 'interrupted', message: 'Nothing was sent: the signal was already aborted.' };
    await expect(turn.text()).rejects.toMatchObject({ ...said, cause: new Error('no') });
    await expect(turn.accepted).rejects.toBeInstanceOf(ToolyardError);
    expect(asked).toEqual(['POST ']);
  });

  it('interrupts the turn once it has begun, and its end is read as any other', async () => {
    const { yard, asked, append } = openServer([message]);
    const stop = new AbortController();
    const turn = (await yard.sessions.create()).send('add', { signal: stop.signal });
    await turn.accepted;
    stop.abort();
    const looks = () => asked.filter((each) => each === 'GET /:id/events').length;
    await expect.poll(looks).toBeGreaterThan(1);
    expect(asked).not.toContain('POST /:id/interrupt');
    append(start);
    await expect.poll(() => asked).toContain('POST /:id/interrupt');
    append({ type: 'turn_end', data: { turnId, outcome: 'interrupted', costUsd: 0 } });
    expect(await typesOf(turn)).toEqual(['user_message', 'turn_start', 'turn_end']);
    expect(asked.filter((each) => each.endsWith('/interrupt'))).toHaveLength(1);
  });

  it('interrupts nothing any more when the turn has been read to its end', async () => {
    const { yard, asked } = openServer([message, start, end]);
    const stop = new AbortController();
    const turn = (await yard.sessions.create()).send('add', { signal: stop.signal });
    await turn.text();
    stop.abort();
    await typesOf(turn);
    expect(asked).not.toContain('POST /:id/interrupt');
  });
});
