// The question on a real terminal, with real keys: what reaches it, and what counts as an answer.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rehearsal, serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { createHome, hasTerminal, type Running, type TestHome } from '../toolyard-process.ts';

const scenarioPath = fileURLToPath(new URL('../scenario.yaml', import.meta.url));
let model: Rehearsal;
let yard: TestHome;

beforeAll(async () => {
  model = await serveRehearsal({ scenarioPath });
  yard = await createHome({ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'any', NO_COLOR: '1' });
  await yard.start(['serve']).until(/listens at/);
});
afterAll(async () => {
  await yard.end();
  await model.close();
});

function ask(prompt: string): Running {
  return yard.start(['run', prompt], { terminal: true });
}

async function stateOf(running: Running): Promise<string> {
  const [id = ''] = await running.until(/apr_\w+/);
  return (await (await yard.client()).approvals.get(id)).state;
}

const offered = /d {2}deny/;

describe.skipIf(!hasTerminal)('the question on a terminal', () => {
  it('is answered by one key; no Enter is needed and none is taken', async () => {
    const running = ask('ping');
    await running.until(offered);
    running.child.stdin?.write('\r');
    await running.until(/Enter does not answer/);
    expect(await stateOf(running)).toBe('pending');
    running.child.stdin?.write('A');
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /✓ mcp__toolyard__ping allowed \(once\) by person owner via terminal\r\n.*It answers\./s,
    );
  });

  it('is not answered by what was typed before it could be read, nor by a paste', async () => {
    const running = ask('ping');
    running.child.stdin?.write('aaa');
    await running.until(/\? Allow/);
    running.child.stdin?.write('a');
    await pause(100);
    running.child.stdin?.write('a');
    await running.until(offered);
    running.child.stdin?.write('allow all of it');
    await running.until(/Press one of/);
    expect(await stateOf(running)).toBe('pending');
    running.child.stdin?.write('d');
    await running.until(/Reason \(Enter for none/);
    running.child.stdin?.write('no reason to\r');
    const { code, stdout } = await running.finished;
    expect(code).toBe(3);
    expect(stdout).toContain('✗ mcp__toolyard__ping denied by person owner via terminal');
    const [id = ''] = /apr_\w+/.exec(stdout) ?? [];
    expect(await (await yard.client()).approvals.get(id)).toMatchObject({ reason: 'no reason to' });
  });

  it('goes away when it is answered elsewhere, even while a reason is typed', async () => {
    const running = ask('ping');
    await running.until(offered);
    running.child.stdin?.write('d');
    await running.until(/Reason \(Enter for none/);
    const [id = ''] = await running.until(/apr_\w+/);
    await (await yard.client()).approvals.answer(id, { decision: 'allow' });
    expect(await running.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('It answers.') });
  });

  it('lets Ctrl-C interrupt the turn', async () => {
    const running = ask('ping');
    await running.until(offered);
    running.child.stdin?.write('\u0003');
    expect(await running.finished).toMatchObject({ code: 130 });
    expect(await stateOf(running)).toBe('cancelled');
  });

  it('is left to another terminal where the prompt was typed to its end', async () => {
    const running = yard.start(['run', '-'], { terminal: true });
    running.child.stdin?.write('ping\n\u0004');
    const [, id = ''] = await running.until(/approvals allow (apr_\w+) \[--scope session\]/);
    await (await yard.client()).approvals.answer(id, { decision: 'allow' });
    expect(await running.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('It answers.') });
  });

  it('A1, A2, A3: gives the terminal no byte that drives it or hides, from the question to the result', async () => {
    const running = ask('search for evil');
    await running.until(offered);
    running.child.stdin?.write('a');
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('\\u001b]52;c;ZXZpbA==\\u0007\\u001b[2J');
    expect(stdout).toContain('⟨U+202E⟩txt⟨U+200B⟩⟨U+E0072⟩⟨U+009B⟩1A');
    // The terminal itself writes each line feed as \r\n.
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(
      /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u,
    );
  });
});

describe.skipIf(!hasTerminal)('tools call on a terminal', () => {
  it('asks about the call', async () => {
    const running = yard.start(['tools', 'call', 'mcp__toolyard__ping'], { terminal: true });
    await running.until(offered);
    running.child.stdin?.write('a');
    expect(await running.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"status":"pong"'),
    });
  });
});

describe.skipIf(!hasTerminal)('trust on a terminal', () => {
  it('shows what it would allow and takes y, and nothing else, for a yes', async () => {
    const work = join(yard.work, 'theirs');
    await mkdir(work);
    await writeFile(join(work, 'toolyard.yaml'), 'defaults: { mode: bypassPermissions }\n');
    const look = () => yard.start(['trust'], { terminal: true, cwd: work });
    const first = look();
    await first.until(/Trust it\? y\/N/);
    first.child.stdin?.write('\r');
    expect(await first.finished).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /defaults\.mode.*bypassPermissions.*Not trusted\. Nothing has changed\./s,
      ),
    });
    const second = look();
    await second.until(/Trust it\? y\/N/);
    second.child.stdin?.write('y');
    expect(await second.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('Trusted ') });
  });
});
