// Approvals at the command line: asked inside `run`, answered there or from another terminal, listed and watched.
import { pause } from '@toolyard/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type CommandYard, createPerson, openCommandYard } from '../in-process.ts';

const unknown = `apr_${'0'.repeat(22)}`;

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openCommandYard();
});
beforeEach(() => {
  commandYard.paid.length = 0;
});
afterAll(() => commandYard.close());

async function openWith(config: string): Promise<CommandYard> {
  const own = await openCommandYard({ config });
  onTestFinished(own.close);
  return own;
}

describe('run without a terminal', () => {
  it('prints one line with the exact command, waits, and goes on when it is answered elsewhere', async () => {
    const { start, run, paid } = commandYard;
    const running = start(['run', 'pay bob']);
    const [line, command = ''] = await running.until(/^.*waits for your approval.*: npm start -- (.*)$/m);
    const [, id] = /allow (apr_\w+)/.exec(command) ?? [];
    expect(line).toBe(
      `mcp__suite__pay waits for your approval. Answer from another terminal: npm start -- approvals allow ${id} [--scope session]`,
    );
    expect(paid).toEqual([]);
    const words = command.replace(/[[\]]/g, '').split(' ');
    expect(await run(...words)).toEqual({
      code: 0,
      stdout: '✓ mcp__suite__pay allowed (session) by person owner via terminal\n',
      stderr: '',
    });
    const { code, stdout, stderr } = await running.finished;
    expect({ code, stdout, paid }).toEqual({ code: 0, stdout: '{"paid":"bob"}\n', paid: ['bob'] });
    expect(stderr).toContain('✓ mcp__suite__pay allowed (session) by person owner via terminal\n');
  });

  it('answers 3 when the call was denied, and the agent hears why', async () => {
    const { start, run, pending, paid } = commandYard;
    const running = start(['run', 'pay bob']);
    const approval = await pending();
    await run('approvals', 'deny', approval.id, '--reason', 'not today');
    expect(await running.finished).toMatchObject({
      code: 3,
      stdout: 'The person did not allow this call: not today\n',
      stderr: expect.stringContaining('✗ mcp__suite__pay denied by person owner via terminal\n'),
    });
    expect(paid).toEqual([]);
  });

  it('answers 3 when it expired, 130 when it was interrupted meanwhile', async () => {
    const { start, pending, yard } = await openWith('toolApproval: { approvalTimeout: 300 }');
    expect(await start(['run', 'pay bob']).finished).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('✗ mcp__suite__pay expired\n'),
    });
    const second = start(['run', 'pay bob']);
    const approval = await pending();
    await yard.client().sessions.interrupt(approval.sessionId);
    expect(await second.finished).toMatchObject({ code: 130 });
  });

  it('says that it is parked and how to answer, leaves with 3, and the turn goes on without it', async () => {
    const config = 'toolApproval: { approvalTimeout: 200, unattended: park }';
    const { start, run, yard, paid } = await openWith(config);
    const { code, stderr } = await start(['run', 'pay bob']).finished;
    const [, id = ''] =
      /parked.*: npm start -- approvals allow (apr_\w+) \[--scope session\]\n$/.exec(stderr) ?? [];
    expect({ code, paid }).toEqual({ code: 3, paid: [] });
    expect(await run('approvals', 'list')).toMatchObject({
      stdout: expect.stringContaining(`${id}  pending`),
    });
    expect(await run('approvals', 'allow', id)).toMatchObject({ code: 0 });
    const { sessionId } = await yard.client().approvals.get(id);
    while ((await yard.client().sessions.get(sessionId)).status !== 'idle') await pause(20);
    expect(paid).toEqual(['bob']);
  });

  it('gives programs the events on stdout and the line on stderr', async () => {
    const { start, run, pending } = commandYard;
    const running = start(['run', '--json', 'pay bob'], { person: createPerson('a') });
    await run('approvals', 'allow', (await pending()).id);
    const { code, stdout, stderr } = await running.finished;
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(code).toBe(0);
    expect(types).toEqual(expect.arrayContaining(['approval_required', 'approval_resolved', 'tool_result']));
    expect(stderr).toMatch(/^mcp__suite__pay waits for your approval\./);
  });
});

describe('run at a terminal', () => {
  it.each([
    ['a', 'once', []],
    ['s', 'session', ['session']],
    ['w', 'always', ['always']],
  ])('asks, and %s allows (%s)', async (key, scope, granted) => {
    const { start, yard, paid } = commandYard;
    const to = `bob-${scope}`;
    const { code, stdout, stderr } = await start(['run', `pay ${to}`], { person: createPerson(key) })
      .finished;
    expect({ code, stdout, paid }).toEqual({ code: 0, stdout: `{"paid":"${to}"}\n`, paid: [to] });
    expect(stderr).toContain(`? Allow mcp__suite__pay with this input?\n  │ {\n  │   "to": "${to}"\n  │ }\n`);
    expect(stderr).toContain(`  What it would do:\n  │ 1 euro to ${to}\n`);
    const { items } = await yard.client().approvals.list({ limit: 1 });
    const decidedBy = { kind: 'person', id: 'owner', via: 'terminal' };
    expect(items).toMatchObject([{ state: 'allowed', scope, decidedBy }]);
    const grants = (await yard.client().grants.list()).items.filter((grant) => grant.key.includes(to));
    expect(grants.map((grant) => grant.scope)).toEqual(granted);
  });

  it('d asks for a reason and denies', async () => {
    const { start, yard, paid } = commandYard;
    const { code, stdout } = await start(['run', 'pay bob'], { person: createPerson('d', ' too dear ') })
      .finished;
    expect({ code, stdout, paid }).toEqual({
      code: 3,
      stdout: 'The person did not allow this call: too dear\n',
      paid: [],
    });
    expect((await yard.client().approvals.list({ limit: 1 })).items).toMatchObject([
      { state: 'denied', reason: 'too dear' },
    ]);
  });

  it('never takes Enter, or a key that is not offered, for an answer', async () => {
    const { start, yard, pending, paid } = commandYard;
    const running = start(['run', 'pay bob'], { person: createPerson('\r', '\n', 'y', ' ', '\u001b[A') });
    await running.until(/Press one of a, s, w, d\. Enter does not answer\./);
    await pause(100);
    expect(paid).toEqual([]);
    await yard.client().approvals.answer((await pending()).id, { decision: 'deny' });
    const { stderr } = await running.finished;
    expect(stderr.match(/Press one of/g)).toHaveLength(1);
  });

  it('takes the question back when it is answered elsewhere, and says by whom', async () => {
    const { start, yard, pending, paid } = commandYard;
    const running = start(['run', 'pay bob'], { person: createPerson() });
    await running.until(/d {2}deny/);
    const approval = await pending();
    await yard.client().approvals.answer(approval.id, { decision: 'allow' });
    expect(await running.finished).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('✓ mcp__suite__pay allowed (once) by person owner via library\n'),
    });
    expect(paid).toEqual(['bob']);
  });

  it('goes on to the next question when one is answered elsewhere', async () => {
    const { start, yard, pending } = commandYard;
    const running = start(['run', 'pay bob, pay eve'], { person: createPerson() });
    const [, first = ''] = await running.until(/"bob".*(apr_\w+)/s);
    await running.until(/d {2}deny/);
    await yard.client().approvals.answer(first, { decision: 'deny' });
    await running.until(/denied by person owner via library\n.*"eve".*d {2}deny/s);
    await yard.client().approvals.answer((await pending()).id, { decision: 'deny' });
    expect(await running.finished).toMatchObject({ code: 3 });
  });

  it('asks about two calls one after the other', async () => {
    const { start, paid } = commandYard;
    const { code, stdout, stderr } = await start(['run', 'pay bob, pay eve'], {
      person: createPerson('d', '', 'a'),
    }).finished;
    expect(code).toBe(3);
    expect(stdout).toBe('The person did not allow this call.|{"paid":"eve"}\n');
    expect(paid).toEqual(['eve']);
    expect(stderr.match(/\? Allow/g)).toHaveLength(2);
    expect(stderr.indexOf('"bob"')).toBeLessThan(stderr.indexOf('"eve"'));
  });

  it('asks nothing that a grant or the mode has settled', async () => {
    const { start, paid } = commandYard;
    const first = await start(['run', 'look here'], { person: createPerson('s') }).finished;
    const [, id = ''] = /session: (ses_\w+)/.exec(first.stderr) ?? [];
    const again = await start(['run', '--session', id, 'look there'], { person: createPerson() }).finished;
    expect(again).toMatchObject({ code: 0, stdout: '{"seen":"there"}\n' });
    expect(await start(['run', '--mode', 'bypassPermissions', 'pay bob']).finished).toMatchObject({
      code: 0,
    });
    expect(await start(['run', '--mode', 'plan', 'pay bob']).finished).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/not run: mode plan refuses/),
    });
    expect(paid).toEqual(['bob']);
  });
});

describe('approvals', () => {
  it('are listed with state, risk, tool and input, and only those of a state on demand', async () => {
    const { start, run, pending } = await openWith('');
    expect(await run('approvals', 'list')).toEqual({
      code: 0,
      stdout: 'No approvals yet.\n',
      stderr: '',
    });
    const running = start(['run', `pay ${'x'.repeat(200)}END`]);
    const first = await pending();
    const { stdout, stderr } = await run('approvals', 'list');
    expect(stdout).toMatch(
      /^ID +STATE +ASKED +RISK +TOOL +INPUT\napr_\w+ {2}pending {2}just now {2}high {2}mcp__suite__pay {2}\{"to":"x+⟨… of 212 characters …⟩x+END"\}\n$/,
    );
    expect(stderr).toBe('1 pending. Review one, then answer: npm start -- approvals show ID\n');
    const json = JSON.parse((await run('approvals', 'list', '--state', 'pending', '--json')).stdout);
    expect(json).toMatchObject({ items: [{ id: first.id, state: 'pending' }] });
    expect((await run('approvals', 'list', '--state', 'denied')).stdout).toBe('No approval is denied.\n');
    const shown = await run('approvals', 'show', first.id);
    expect(shown.stdout).toContain(`"to": "${'x'.repeat(200)}END"`);
    expect(shown.stderr).toContain(`approvals allow ${first.id}`);
    expect((await run('sessions', 'show', first.sessionId)).stdout).toContain(`approvals allow ${first.id}`);
    await run('approvals', 'deny', first.id, '--json');
    await running.finished;
    expect((await run('approvals', 'show', first.id)).stdout).toMatch(/✗ .* denied by person owner/);
  });

  it('are answered once: the second hears who and when, and nothing happens', async () => {
    const { start, run, pending, paid } = commandYard;
    const running = start(['run', 'pay bob']);
    const approval = await pending();
    await run('approvals', 'deny', approval.id);
    await running.finished;
    const late = await run('approvals', 'allow', approval.id);
    expect(late).toMatchObject({ code: 1, stdout: '' });
    expect(late.stderr).toMatch(
      /^error: The call of mcp__suite__pay was already denied by person owner via terminal at 20.*\n$/,
    );
    expect(paid).toEqual([]);
  });

  it.each([
    [['allow', unknown], 1, /^error: There is no approval apr_0/],
    [['deny', '../x'], 1, /^error: There is no approval/],
    [['show', 'nonsense'], 1, /^error: There is no approval/],
    [['allow', unknown, '--scope', 'forever'], 2, /^error: --scope: .*once.*session.*always/],
    [['list', '--state', 'pendng'], 2, /^error: --state is "pendng"\. Did you mean "pending"\?\n$/],
    [['allow'], 2, /^error: "approvals allow" needs the id of an approval\./],
    [['alow', unknown], 2, /^error: Unknown command "approvals alow"\. Did you mean "allow"\?/],
  ])('refuse %j in a sentence', async (words, code, sentence) => {
    const { run } = commandYard;
    const refused = await run('approvals', ...words);
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});

describe('approvals watch', () => {
  it('prints each as it comes with the command to answer, and how it ended', async () => {
    const { start, run, pending } = commandYard;
    const watching = start(['approvals', 'watch']);
    await watching.until(/Ctrl-C stops watching/);
    const running = start(['run', 'pay bob']);
    const [, id = ''] = await watching.until(
      /\? Allow mcp__suite__pay .*npm start -- approvals allow (apr_\w+) \[/s,
    );
    expect((await pending()).id).toBe(id);
    await run('approvals', 'allow', id);
    await watching.until(/✓ mcp__suite__pay allowed \(once\) by person owner via terminal\n/);
    expect(await running.finished).toMatchObject({ code: 0 });
    process.emit('SIGINT');
    expect(await watching.finished).toMatchObject({ code: 0 });
  });

  it('lets the person at the terminal answer for every session', async () => {
    const { start, paid } = commandYard;
    const watching = start(['approvals', 'watch'], { person: createPerson('a', 'd', '') });
    const one = await start(['run', 'pay bob']).finished;
    const two = await start(['run', 'pay eve']).finished;
    expect([one.code, two.code, paid]).toEqual([0, 3, ['bob']]);
    process.emit('SIGINT');
    expect(await watching.finished).toMatchObject({ code: 0, stdout: '' });
  });

  it('prints lines of JSON for programs', async () => {
    const { start, run, pending } = commandYard;
    const watching = start(['approvals', 'watch', '--json']);
    const running = start(['run', 'pay bob']);
    await watching.until(/"state":"pending"/);
    await run('approvals', 'deny', (await pending()).id);
    await watching.until(/"state":"denied"/);
    await running.finished;
    process.emit('SIGINT');
    const { stdout } = await watching.finished;
    const states = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).state);
    expect(states).toEqual(['pending', 'denied']);
  });
});
