// Grants, tokens, tools, roles, trust and audit at the command line.

import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pause } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CommandYard, createPerson, openCommandYard } from '../in-process.ts';

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openCommandYard();
});
afterAll(() => commandYard.close());

describe('grants', () => {
  it('are listed with holder, uses, owner and reason, and are revoked', async () => {
    const { start, run, pending } = commandYard;
    expect((await run('grants', 'list')).stdout).toMatch(/^No grants\. .*--scope session\n$/);
    const running = start(['run', 'pay bob']);
    const { id, sessionId } = await pending();
    await run('approvals', 'allow', id, '--scope', 'session', '--reason', 'he is owed it');
    await running.finished;
    await run('run', '--session', sessionId, 'pay bob');
    const { stdout } = await run('grants', 'list');
    const [grant = ''] = /grt_\w+/.exec(stdout) ?? [];
    expect(stdout.split('\n')[1]).toMatch(
      new RegExp(
        `^${grant} +session +${sessionId} +1 +just now +20[0-9-]+ +owner via terminal +he is owed it +mcp__suite__pay {"to":"bob"}$`,
      ),
    );
    expect(JSON.parse((await run('grants', 'list', '--json')).stdout)).toMatchObject({
      items: [{ id: grant, uses: 1, stale: false, reason: 'he is owed it' }],
    });
    expect(await run('grants', 'revoke', grant)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Revoked/),
    });
    expect(await run('grants', 'revoke', grant)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: There is no grant/),
    });
  });
});

describe('tokens', () => {
  it('are made with the secret alone on stdout, listed without it, and revoked', async () => {
    const { run } = commandYard;
    expect((await run('tokens', 'list')).stdout).toMatch(/^The only token is the one in the home\./);
    const made = await run('tokens', 'create', 'cursor', '--role', 'developer', '--days', '30');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tyd_[\w-]{32}\n$/) });
    const [id = ''] = /tok_\w+/.exec(made.stderr) ?? [];
    const { stdout } = await run('tokens', 'list');
    expect(stdout).toMatch(new RegExp(`\n${id} +cursor +agent +developer +never +20[0-9-]+\n$`));
    expect(stdout + made.stderr).not.toContain(made.stdout.trim());
    const json = await run('tokens', 'create', 'me', '--kind', 'person', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'me', kind: 'person', secret: expect.any(String) });
    expect(await run('tokens', 'revoke', id)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(await run('tokens', 'revoke', id)).toMatchObject({ code: 1 });
  });

  it.each([
    [['x'], /^error: An agent token needs a role/],
    [['x', '--kind', 'robot'], /^error: --kind: .*person.*agent/],
    [['x', '--role', '../x'], /^error: --role: use 1 to 64/],
    [['x', '--role', 'a', '--days', 'soon'], /^error: --days is "soon"/],
    [['x', '--role', 'a', '--days', '-1'], /^error: Option --days needs a value/],
    [[], /^error: "tokens create" needs a name\./],
  ])('refuse %j', async (words, sentence) => {
    const refused = await commandYard.run('tokens', 'create', ...words);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});

describe('tools list', () => {
  it('lists what a role may call, and nothing else', async () => {
    const { run } = commandYard;
    const assistant = JSON.parse((await run('tools', 'list', '--json')).stdout).items;
    const developer = JSON.parse((await run('tools', 'list', '--role', 'developer', '--json')).stdout).items;
    const names = (items: { name: string }[]) => items.map(({ name }) => name);
    expect(names(assistant)).toContain('mcp__suite__pay');
    expect(names(developer)).not.toContain('mcp__suite__pay');
    expect(names(developer)).toContain('mcp__toolyard__read_output');
  });

  it('explains for each tool whether it is offered, what a call would meet, and by which rule', async () => {
    const { run } = commandYard;
    const row = async (...words: string[]) => {
      const { stdout } = await run('tools', 'list', '--explain', ...words);
      const line = stdout.split('\n').find((each) => each.startsWith('mcp__suite__pay'));
      return line?.split(/ {2,}/);
    };
    expect(await row()).toEqual([
      'mcp__suite__pay',
      'execute',
      'yes',
      'ask',
      'tier session, by toolApproval.defaultTier',
    ]);
    expect(await row('--mode', 'plan')).toEqual([
      'mcp__suite__pay',
      'execute',
      'yes',
      'deny',
      'mode plan refuses: write elsewhere, execute, external',
    ]);
    expect((await row('--role', 'developer'))?.slice(0, 4)).toEqual([
      'mcp__suite__pay',
      'execute',
      'no',
      '–',
    ]);
    expect(await run('tools', 'list', '--role', 'devloper')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "developer"?'),
    });
    expect(await run('tools', 'list', '--mode', 'plann')).toMatchObject({ code: 2 });
  });
});

describe('tools call', () => {
  it('runs what the mode lets run, and prints the result alone', async () => {
    const { run, paid } = commandYard;
    paid.length = 0;
    const bypass = ['--mode', 'bypassPermissions'];
    expect(await run('tools', 'call', 'mcp__suite__pay', '{"to":"a"}', ...bypass)).toEqual({
      code: 0,
      stdout: '{"paid":"a"}\n',
      stderr: '',
    });
    const json = await run('tools', 'call', 'mcp__suite__pay', '--input', '{"to":"b"}', '--json', ...bypass);
    expect(JSON.parse(json.stdout)).toMatchObject({ output: { paid: 'b' }, isError: false });
    expect(paid).toEqual(['a', 'b']);
  });

  it('asks the person at the terminal about this call and no other, and answers 3 for a no', async () => {
    const { start, run, pending, paid } = commandYard;
    paid.length = 0;
    const other = start(['run', 'pay other']);
    const { id } = await pending();
    const call = ['tools', 'call', 'mcp__suite__pay', '{"to":"c"}'];
    const allowed = await start(call, { person: createPerson('a') }).finished;
    expect(allowed).toMatchObject({ code: 0, stdout: '{"paid":"c"}\n' });
    expect(allowed.stderr).not.toContain('other');
    expect(allowed.stderr).not.toContain('allow in this session');
    const denied = await start(call, { person: createPerson('d', 'no') }).finished;
    expect(denied).toMatchObject({ code: 3, stdout: '' });
    expect(denied.stderr).toMatch(/The person did not allow this call: no\n$/);
    expect(paid).toEqual(['c']);
    await run('approvals', 'deny', id);
    await other.finished;
  });

  it('says without a terminal how to answer, and waits; Ctrl-C takes the call back', async () => {
    const { start, run, pending, yard } = commandYard;
    const calling = start(['tools', 'call', 'mcp__suite__look', '{"at":"x"}']);
    const [, id = ''] = await calling.until(/approvals allow (apr_\w+)/);
    await run('approvals', 'allow', id);
    expect(await calling.finished).toMatchObject({ code: 0, stdout: '{"seen":"x"}\n' });
    const second = start(['tools', 'call', 'mcp__suite__look', '{"at":"y"}']);
    const approval = await pending();
    process.emit('SIGINT');
    expect(await second.finished).toMatchObject({ code: 130 });
    while ((await yard.client().approvals.get(approval.id)).state === 'pending') await pause(10);
    expect(await yard.client().approvals.get(approval.id)).toMatchObject({ state: 'cancelled' });
  });

  it.each([
    [['pay', '{}'], 2, /^error: The role assistant has no tool pay\. Did you mean "mcp__suite__pay"\?\n$/],
    [['mcp__suite__pay', '{"to":'], 2, /^error: The input is not valid JSON \(/],
    [['mcp__suite__pay', '[1]'], 2, /^error: The input must be a JSON object, such as: /],
    [['mcp__suite__pay', '{}', '--input', '{}'], 2, /^error: The input is given twice/],
    [['mcp__suite__pay', '{"too":1}'], 1, /^Invalid input for mcp__suite__pay: /],
    [
      ['mcp__suite__pay', '{}', '--role', 'developer'],
      2,
      /^error: The role developer has no tool mcp__suite__pay/,
    ],
  ])('refuses %j', async (words, code, sentence) => {
    const refused = await commandYard.run('tools', 'call', ...words);
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});

describe('roles', () => {
  it('are listed and shown; a broken file is told with file and line, also to programs', async () => {
    const { run, home } = commandYard;
    const file = join(home, 'roles', 'gardener.md');
    await mkdir(join(home, 'roles'), { recursive: true });
    await writeFile(file, '---\nname: gardener\ndescription: Gardens\ncolour: green\n---\nGarden.\n');
    await writeFile(join(home, 'roles', 'cook.md'), '---\nname: cook\ndescription: Cooks\n---\nCook well.\n');
    const { code, stdout, stderr } = await run('roles', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^NAME +CATEGORY +ACCESS +FROM +WHAT IT IS FOR\nassistant +conversational.*\ncook +coding +– +home +Cooks\n/s,
    );
    expect(stderr).toMatch(/^broken: .*gardener\.md:4.*"colour"/);
    expect(JSON.parse((await run('roles', 'list', '--json')).stdout).broken).toMatchObject([{ file }]);
    expect((await run('roles', 'show', 'cook')).stdout).toMatch(
      /^role +cook\nfor +Cooks\n.*\n\nCook well\.\n$/s,
    );
    expect(JSON.parse((await run('roles', 'show', 'cook', '--json')).stdout)).toMatchObject({ name: 'cook' });
    expect(await run('roles', 'show', 'gardener')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*gardener\.md:4/),
    });
    expect(await run('roles', 'show', 'coook')).toMatchObject({
      code: 2,
      stderr: 'error: There is no role "coook". Did you mean "cook"?\n',
    });
  });
});

describe('trust', () => {
  async function makeWorkspace(): Promise<string> {
    const work = await mkdtemp(join(commandYard.home, 'work-'));
    await mkdir(join(work, '.toolyard', 'roles'), { recursive: true });
    await writeFile(join(work, 'toolyard.yaml'), 'toolApproval: { perTool: { mcp__suite__pay: auto } }\n');
    const role = '---\nname: boss\ndescription: Bosses\naccess: full\n---\nBoss \u001b[2J around.\n';
    await writeFile(join(work, '.toolyard', 'roles', 'boss.md'), role);
    return work;
  }

  it('shows what it would widen and refuses without a person or --yes, changing nothing', async () => {
    const { run, start } = commandYard;
    const work = await makeWorkspace();
    const { code, stdout, stderr } = await run('trust', work);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /is not trusted\.\n.*toolyard\.yaml\n.*Trusting it would allow:\n.*perTool.*\n.*"boss".*\n.*error: There is no terminal to ask at\. .*--yes\.\n$/s,
    );
    expect(await start(['tools', 'list', '--role', 'boss'], { cwd: work }).finished).toMatchObject({
      code: 2,
    });
    const json = JSON.parse((await run('trust', work, '--json')).stderr);
    expect(json).toMatchObject({ error: { code: 'usage', data: { trusted: false } } });
  });

  it('is given by --yes, holds until a file changes, and is then asked for again', async () => {
    const { run, start } = commandYard;
    const work = await makeWorkspace();
    expect(await run('trust', work, '--yes')).toMatchObject({
      code: 0,
      stdout: `Trusted ${work} as it is now. When one of these files changes, trust it again.\n`,
    });
    const shown = await start(['roles', 'show', 'boss'], { cwd: work, person: createPerson() }).finished;
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Boss ⟨U+001B⟩[2J around.') });
    expect(await run('trust', work)).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' });
    await writeFile(join(work, 'toolyard.yaml'), 'defaults: { mode: bypassPermissions }\n');
    expect(await run('trust', work)).toMatchObject({ code: 2 });
  });

  it('says no for a person who does', async () => {
    const { start } = commandYard;
    const work = await makeWorkspace();
    for (const key of ['n', '\r']) {
      expect(await start(['trust'], { cwd: work, person: createPerson(key) }).finished).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Not trusted\. Nothing has changed\.\n$/),
      });
    }
    expect(await start(['trust'], { cwd: work, person: createPerson('y') }).finished).toMatchObject({
      code: 0,
    });
  });

  it('has nothing to do where there is nothing, and refuses what is broken or not there', async () => {
    const { run } = commandYard;
    const work = await mkdtemp(join(commandYard.home, 'work-'));
    expect(await run('trust', work)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has no files'),
      stderr: '',
    });
    await symlink('nowhere', join(work, '.git'));
    await mkdir(join(work, 'sub'));
    const { stderr } = await run('trust', join(work, 'sub'));
    expect(stderr).toBe(`${join(work, '.git')} is a link and is ignored.\n`);
    await writeFile(join(work, 'toolyard.yaml'), 'defualts: {}\n');
    expect(await run('trust', work, '--yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/cannot be trusted as it is\. .*toolyard\.yaml:1/s),
    });
    expect(await run('trust', join(work, 'nowhere'))).toMatchObject({
      code: expect.any(Number),
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
    });
  });
});

describe('audit', () => {
  it('is exported row by row, from any row on, and verified', async () => {
    const { run, yard } = commandYard;
    const body = { input: { at: 'x' }, mode: 'acceptEdits' } as const;
    for (let calls = 0; calls < 101; calls++) await yard.client().tools.call('mcp__suite__look', body);
    const rows = (await run('audit', 'export')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.at(-1)).toMatchObject({ kind: 'result', tool: 'mcp__suite__look', outcome: 'done' });
    const rest = await run('audit', 'export', '--format', 'jsonl', '--after', String(rows.length - 1));
    expect(JSON.parse(rest.stdout)).toEqual(rows.at(-1));
    expect(await run('audit', 'verify')).toEqual({
      code: 0,
      stdout: `The audit is intact: ${rows.length} rows, each linked to the previous one.\n`,
      stderr: '',
    });
    expect(await run('audit', 'export', '--format', 'csv')).toMatchObject({ code: 2, stdout: '' });
    expect(await run('audit', 'export', '--after', 'x')).toMatchObject({ code: 2, stdout: '' });
  });

  it('C6: says at which row it was changed, and answers 1', async () => {
    // In a home of its own, whose audit may be broken.
    const { run, home, close } = await openCommandYard();
    onTestFinished(close);
    await run('run', '--mode', 'bypassPermissions', 'look here');
    const database = new DatabaseSync(join(home, 'toolyard.db'));
    database.exec(`PRAGMA busy_timeout = 5000; DELETE FROM audit WHERE seq = 2`);
    database.close();
    expect(await run('audit', 'verify')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^The audit is broken at row 2: /),
    });
    expect(JSON.parse((await run('audit', 'verify', '--json')).stdout)).toMatchObject({
      ok: false,
      brokenAt: 2,
    });
  });
});
