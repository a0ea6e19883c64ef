// Commands that wait for a person for long: they last, they say what they wait for, and they end.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CommandYard, createPerson, openCommandYard } from './in-process.ts';

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openCommandYard();
});
beforeEach(() => {
  commandYard.paid.length = 0;
});
afterAll(() => commandYard.close());

const pay = ['tools', 'call', 'mcp__suite__pay', '{"to":"bob"}'];

describe('tools call', () => {
  it('waits longer than the platform’s fetch would', async () => {
    const { start, yard, paid, pending } = commandYard;
    const { fetch } = globalThis;
    // The platform waits five minutes for an answer to begin; this one until the test says so.
    const patience = new AbortController();
    const impatient: typeof fetch = (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.any([patience.signal, Object(input).signal]) });
    vi.stubGlobal('fetch', impatient);
    onTestFinished(() => void vi.unstubAllGlobals());
    const calling = start(pay);
    const { id } = await pending();
    patience.abort();
    await yard.client().approvals.answer(id, { decision: 'allow' });
    expect(await calling.finished).toMatchObject({ code: 0, stdout: '{"paid":"bob"}\n' });
    expect(paid).toEqual(['bob']);
  });

  it('gives up when nobody has answered in time and nobody is here to be asked', async () => {
    const config = 'toolApproval: { approvalTimeout: 300, unattended: park }';
    const own = await openCommandYard({ config });
    onTestFinished(own.close);
    const { code, stdout, stderr } = await own.start(pay).finished;
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/Nobody answered in time, so the call was cancelled\. It did not run\.\n$/);
    const asked = (await own.yard.client().approvals.list()).items.map(({ state }) => state);
    expect(asked).toEqual(['cancelled']);
    expect(own.paid).toEqual([]);
  });

  it('with --session runs in that session: allowed for it, the second call is not asked', async () => {
    const { start, run, yard, paid } = commandYard;
    const { id } = await yard.client().sessions.create();
    const within = [...pay, '--session', id];
    const first = await start(within, { person: createPerson('s') }).finished;
    expect(first).toMatchObject({ code: 0, stdout: '{"paid":"bob"}\n' });
    expect(first.stderr).toContain('allowed (session) by person owner via terminal');
    expect(await run(...within)).toEqual({ code: 0, stdout: '{"paid":"bob"}\n', stderr: '' });
    expect(paid).toEqual(['bob', 'bob']);
    expect(await run(...within, '--mode', 'bypassPermissions')).toMatchObject({ code: 1 });
  });

  it('offers no session to a call that has one to itself', async () => {
    const { start } = commandYard;
    const { stderr } = await start(pay, { person: createPerson('s', 'd', '') }).finished;
    expect(stderr).toContain('Press one of a, w, d.');
  });
});

describe('run --session', () => {
  it('says what an earlier turn waits for, and goes on after it; and nothing when its turn begins at once', async () => {
    const { start, run, yard, paid } = commandYard;
    // Asked first, so it would have said by then what the second one says.
    const free = await yard.client().sessions.create();
    const unhindered = start(['run', '--session', free.id, 'pay joe']);
    const first = await commandYard.pending(free.id);
    const { id: sessionId } = await yard.client().sessions.create();
    await yard.client().sessions.send(sessionId, 'pay bob');
    const { id } = await commandYard.pending(sessionId);
    const running = start(['run', '--session', sessionId, 'pay eve']);
    await running.until(/approvals allow apr_/);
    expect(running.stderr()).toBe(
      [
        'The turn is queued behind an earlier turn of this session or other agents.',
        `mcp__suite__pay waits for your approval. Answer from another terminal: npm start -- approvals allow ${id} [--scope session]`,
        '',
      ].join('\n'),
    );
    await run('approvals', 'allow', first.id);
    expect((await unhindered.finished).stderr).not.toContain('an earlier turn');
    await run('approvals', 'deny', id);
    const own = await commandYard.pending(sessionId);
    await run('approvals', 'allow', own.id);
    expect(await running.finished).toMatchObject({ code: 0, stdout: '{"paid":"eve"}\n' });
    expect(paid).toEqual(['joe', 'eve']);
  });
});
