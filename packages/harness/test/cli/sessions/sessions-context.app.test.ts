// `sessions show --context` and `sessions change`: what they say of a call that a person made, and of what is wrong. What they
// say of an agent is in claude.real.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandYard, openCommandYard } from '../in-process.ts';

let yard: CommandYard;
beforeAll(async () => {
  yard = await openCommandYard();
});
afterAll(() => yard.close());

describe('sessions show --context and sessions change', () => {
  it('say what is missing, and what is wrong', async () => {
    const id = `ses_${'0'.repeat(22)}`;
    expect(await yard.run('sessions', 'change', id)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: There is nothing to change. Use --mode, --model or --title.\n',
    });
    expect((await yard.run('sessions', 'change', id, '--mode', 'wild')).stderr).toMatch(
      /^error: --mode: .*acceptEdits/,
    );
    expect((await yard.run('sessions', 'change', id, '--mode', 'plan')).stderr).toMatch(
      /^error: There is no session/m,
    );
    expect((await yard.run('sessions', 'show', id, '--context')).stderr).toMatch(
      /^error: There is no session/m,
    );
  });

  it('of a call that a person made show the tools, and no engine’s', async () => {
    const called = await yard.run('tools', 'call', 'mcp__toolyard__ping', '--mode', 'acceptEdits', '--json');
    const { sessionId } = JSON.parse(called.stdout);
    const { code, stdout } = await yard.run('sessions', 'show', sessionId, '--context', '--json');
    expect({ code, context: JSON.parse(stdout).context }).toMatchObject({
      code: 0,
      context: { engine: 'direct', nativeTools: [], tools: expect.arrayContaining(['mcp__toolyard__ping']) },
    });
  });
});
