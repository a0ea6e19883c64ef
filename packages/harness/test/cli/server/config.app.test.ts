// The configuration at the command line, changed through the server.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandYard, openCommandYard } from '../in-process.ts';

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openCommandYard();
});
afterAll(() => commandYard.close());

const set = (...words: string[]) => commandYard.run('config', 'set', ...words);
const get = async (key: string) => (await commandYard.run('config', 'get', key)).stdout.trimEnd();

describe('config set', () => {
  it.each([
    ['limits.maxSteps', '33', '33'],
    ['claude.spare', 'false', 'false'],
    ['defaults.mode', 'plan', 'plan'],
    ['mcp.fullAccessCategories', 'conversational, coding', '["conversational","coding"]'],
    ['toolApproval.perTool.mcp__suite__look', 'auto', 'auto'],
  ])('writes %s, and config get reads it', async (key, value, shown) => {
    const { code, stdout, stderr } = await set(key, value);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ is .+\. It applies (now|after the next start)\.\n$/);
    expect(await get(key)).toBe(shown);
  });

  it('goes back to the default, and says what holds', async () => {
    await set('limits.maxSteps', '44');
    expect(await set('limits.maxSteps', '--default')).toMatchObject({
      code: 0,
      stdout: 'limits.maxSteps is 50. It applies now.\n',
    });
    expect(await readFile(join(commandYard.home, 'config.yaml'), 'utf8')).not.toContain('maxSteps');
  });

  it('takes a whole map as JSON, and tells all about the key with --json', async () => {
    const { stdout } = await set('toolApproval.perTool', '{"mcp__suite__pay":"always"}', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      key: 'toolApproval.perTool',
      value: { mcp__suite__pay: 'always' },
      source: 'file',
    });
  });

  it.each([
    [['limits.maxSteps', '0'], 1, 'limits.maxSteps: it must be at least 1'],
    [['limits.maxSteps', 'many'], 1, 'limits.maxSteps: it must be a number'],
    [['limits.maxSteps', '1.5'], 1, 'limits.maxSteps: it must be a whole number'],
    [['defaults.mode', 'wild'], 1, 'it must be one of default, acceptEdits, plan, bypassPermissions'],
    [['limits.maxStep', '3'], 2, 'Unknown key "limits.maxStep". Did you mean "limits.maxSteps"?'],
    [['limits.maxSteps'], 2, 'Give a key and its value, or a key and --default.'],
    [['limits.maxSteps', '3', '--default'], 2, 'Give a key and its value, or a key and --default.'],
    [['toolApproval.perTool', 'auto'], 2, 'toolApproval.perTool takes JSON'],
    [['server.host', '0.0.0.0'], 1, 'server.host: it cannot be set here.'],
  ])('refuses %j with %i, and says why', async (words, code, why) => {
    const before = await get('limits.maxSteps');
    const answered = await set(...words);
    expect([answered.code, answered.stdout]).toEqual([code, '']);
    expect(answered.stderr).toContain(why);
    expect(await get('limits.maxSteps')).toBe(before);
  });
});
