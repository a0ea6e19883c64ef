// The commands that search, fork, export and delete sessions, as a person types them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { converse } from '../../support/yard.ts';
import { type CommandYard, createPerson, openCommandYard } from '../in-process.ts';

let at: CommandYard;
beforeAll(async () => {
  const engine = createScriptedEngine({
    reply: ({ text, history }) => [{ text: text === 'recall' ? history.join(', ') : `You said: ${text}` }],
  });
  at = await openCommandYard({ engine });
});
afterAll(() => at.close());

async function talk(title: string, ...messages: string[]): Promise<string> {
  const { id } = await at.yard.client().sessions.create({ title });
  for (const message of messages) await converse(at.yard, id, message);
  return id;
}

describe('sessions search', () => {
  it('shows where the words stand, and marks nothing that is no terminal', async () => {
    const id = await talk('About boats', 'the *red* canoe');
    const { code, stdout } = await at.run('sessions', 'search', 'red', 'canoe');
    expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        `${id} #4  answer · just now · About boats`,
        '  You said: the *red* canoe',
        `${id} #1  message · just now · About boats`,
        '  the *red* canoe',
      ],
    });
    const { items } = JSON.parse((await at.run('sessions', 'search', 'boats', '--json')).stdout);
    expect(items).toMatchObject([{ sessionId: id, kind: 'title', seq: 0 }]);
  });

  it('says so when there is nothing, or more', async () => {
    await talk('Many', 'penguin', 'penguin', 'penguin');
    expect((await at.run('sessions', 'search', 'walrus')).stdout).toBe('Nothing found.\n');
    expect((await at.run('sessions', 'search', '--', '--" * -')).stdout).toBe('Nothing found.\n');
    expect((await at.run('sessions', 'search', 'penguin', '--limit', '2')).stderr).toBe(
      'There is more: --limit 10\n',
    );
    expect((await at.run('sessions', 'search')).code).toBe(2);
  });
});

describe('sessions fork', () => {
  it('opens another session, at a number that `show --numbers` gives', async () => {
    const id = await talk('Original', 'one', 'two');
    const shown = (await at.run('sessions', 'show', id, '--numbers')).stdout;
    const number = /#(\d+) > one/.exec(shown)?.[1] ?? '';
    const { code, stdout, stderr } = await at.run('sessions', 'fork', id, '--at', number);
    const fork = stdout.trim();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`run --session ${fork}`) });
    const events = await converse(at.yard, fork, 'recall');
    expect(events.findLast(({ type }) => type === 'text_delta')).toMatchObject({
      data: { text: 'one, recall' },
    });
    expect((await at.run('sessions', 'show', fork)).stdout).toContain(`forked    from ${id} at `);
    const named = await at.run('sessions', 'fork', id, '--title', 'Named', '--json');
    expect(JSON.parse(named.stdout)).toMatchObject({ title: 'Named', forkedFrom: { sessionId: id } });
  });

  it.each([
    [['--at', '999'], 1, /This session has no event 999\. Use a number of at most \d+\./],
    [['--at', 'two'], 2, /--at is "two"\. Use a whole number/],
    [['--title', 'a\u001b[31m'], 2, /--title: use no control characters/],
  ])('refuses %s in one sentence', async (words, code, message) => {
    const id = await talk('Short', 'one');
    const refused = await at.run('sessions', 'fork', id, ...words);
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  });
});

describe('sessions export', () => {
  it('writes to stdout or, whole, to a file', async () => {
    const id = await talk('To keep', 'remember this');
    const { stdout } = await at.run('sessions', 'export', id);
    expect(stdout).toMatch(/^# To keep\n[\s\S]*> remember this\n[\s\S]*> You said: remember this\n$/);
    const { code, stderr } = await at.run(
      'sessions',
      'export',
      id,
      '--format',
      'json',
      '--output',
      'kept.json',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Written to ${join(at.work, 'kept.json')}\n` });
    expect(JSON.parse(readFileSync(join(at.work, 'kept.json'), 'utf8'))).toMatchObject({ session: { id } });
  });

  it('takes the place of another file only by force', async () => {
    const id = await talk('Mine', 'x');
    const path = join(at.work, 'notes.md');
    writeFileSync(path, 'my notes');
    const refused = await at.run('sessions', 'export', id, '--output', 'notes.md');
    const stderr = `The file ${path} exists. Name another one, or add --force to replace it.`;
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(stderr) });
    expect(readFileSync(path, 'utf8')).toBe('my notes');
    expect((await at.run('sessions', 'export', id, '--output', 'notes.md', '--force')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^# Mine\n/);
  });

  it('leaves nothing behind when it cannot be written, or there is nothing to write', async () => {
    const id = await talk('Refused', 'x');
    const refused = await at.run('sessions', 'export', id, '--output', 'no/such/folder.md');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Could not write the export') });
    const nobody = await at.run('sessions', 'export', `ses_${'0'.repeat(22)}`, '--output', 'none.md');
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no session') });
    expect(readdirSync(at.work).filter((name) => /none|part/.test(name))).toEqual([]);
    expect((await at.run('sessions', 'export', id, '--format', 'html')).code).toBe(2);
  });
});

describe('sessions delete', () => {
  it('asks a person, and does as they say', async () => {
    const id = await talk('Precious', 'x');
    const kept = await at.start(['sessions', 'delete', id], { person: createPerson('n') }).finished;
    expect(kept).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Precious\n.*permanently\?.*\nNothing was deleted/s),
    });
    expect((await at.run('sessions', 'show', id)).code).toBe(0);
    const gone = await at.start(['sessions', 'delete', id], { person: createPerson('y') }).finished;
    expect(gone).toMatchObject({ code: 0, stdout: `${id} deleted\n` });
    expect((await at.run('sessions', 'show', id)).code).toBe(1);
  });

  it('where nobody can be asked needs --yes, and takes several at once', async () => {
    const ids = [await talk('First', 'x'), await talk('Second', 'y')];
    const refused = await at.run('sessions', 'delete', ...ids);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    const { code, stdout } = await at.run('sessions', 'delete', ...ids, '--yes', '--json');
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, items: ids.map((id) => ({ id })) });
    expect(ids.filter((id) => existsSync(join(at.home, 'outputs', id)))).toEqual([]);
  });

  it('deletes none when one of them is not there', async () => {
    const id = await talk('Here', 'x');
    const missing = `ses_${'0'.repeat(22)}`;
    expect((await at.run('sessions', 'delete', id, missing, '--yes')).code).toBe(1);
    expect((await at.run('sessions', 'show', id)).code).toBe(0);
  });
});
