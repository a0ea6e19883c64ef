// An agent whose turn is over while its worktree is still being put away: what an interrupt and a kill end then, and say.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { readUntil, temporaryDirectory } from '../../support/yard.ts';
import { call, draft, openAgentYard, outputOf, type Script } from './stage.ts';

const stay: Script = () => [{ text: 'Here.' }, { untilAborted: true }];
const isolation = 'worktree';

/** A yard whose git does not begin to put away what an agent has left before it is told to. */
async function openFinishing(scripts: Record<string, Script>) {
  const folder = await temporaryDirectory();
  const [bin, repository] = [join(folder, 'bin'), join(folder, 'repository')];
  // Git can leave a mark in the repository, and nowhere else.
  const [gate, reached] = [join(folder, 'gate'), join(repository, '.git', 'reached')];
  for (const each of [bin, repository]) mkdirSync(each);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository });
  git('init', '-q', '-b', 'main');
  git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'first');
  writeFileSync(gate, '');
  const held = `touch ${reached}; while [ -e ${gate} ]; do sleep 0.02; done`;
  const script = `#!/bin/sh\ncase " $* " in *" add --all "*) ${held};; esac\nPATH=\${PATH#*:} exec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const yard = await openAgentYard({ stay, ...scripts }, { workspace: repository, env });
  return {
    yard,
    client: yard.client(),
    cwd: repository,
    letGo: () => rmSync(gate),
    async finishing() {
      while (!existsSync(reached)) await pause(10);
    },
    byPrompt: async () =>
      Object.fromEntries((await yard.agents()).map(({ prompt, status }) => [prompt, status])),
  };
}

/** Time for a request to come as far as the agent. One that comes later meets an agent that has ended, which is no fault. */
const untilHeard = () => pause(20);

describe('an agent that was done when', () => {
  it('it was killed has not been killed, and the answer says so', async () => {
    const { client, cwd, letGo, finishing } = await openFinishing({ done: () => [{ text: 'Done.' }] });
    const { id } = await client.agents.draft({ role: 'developer', prompt: 'done', cwd, isolation });
    await finishing();
    const killing = client.agents.kill(id);
    await untilHeard();
    letGo();
    const message = 'The agent had already ended: done.';
    expect(await killing).toEqual({ success: false, message, killed: [] });
    expect(await client.agents.get(id)).toMatchObject({ status: 'done' });
  });

  it('its session was interrupted leaves nobody at work', async () => {
    const { client, cwd, letGo, finishing, byPrompt } = await openFinishing({
      lead: ({ step }) => (step === 0 ? [draft('stay')] : [{ text: 'Done.' }]),
    });
    const wanted = { role: 'coordinator', prompt: 'lead', cwd, isolation } as const;
    const { sessionId } = await client.agents.draft(wanted);
    await finishing();
    const interrupting = client.sessions.interrupt(sessionId);
    await untilHeard();
    letGo();
    await interrupting;
    expect(await byPrompt()).toEqual({ lead: 'done', stay: 'killed' });
  });
});

it('an agent that takes long to put its work away is waited for once, and nobody blames the disk', async () => {
  const { yard, client, cwd, letGo, finishing } = await openFinishing({
    Lead: (turn) =>
      turn.step === 0
        ? [draft('stay', { isolation })]
        : [call('await_agent', { agentId: outputOf(turn).agentId })],
  });
  const { id } = await client.sessions.create({ role: 'coordinator', cwd });
  await client.sessions.send(id, 'Lead');
  await readUntil(yard, id, ({ type }) => type === 'agent_update');
  const { id: agentId = '', sessionId = '' } = (await yard.agents())[0] ?? {};
  await readUntil(yard, sessionId, ({ type }) => type === 'text_delta');
  const started = performance.now();
  const interrupting = client.sessions.interrupt(id).catch((thrown: unknown) => thrown);
  const killing = client.agents.kill(agentId);
  await finishing();
  expect(await interrupting).toMatchObject({
    code: 'session_busy',
    message: expect.stringContaining('is still stopping'),
  });
  expect(await killing).toEqual({
    success: false,
    message: `Still stopping: ${agentId}. Check again in a moment.`,
    killed: [],
  });
  expect(performance.now() - started).toBeLessThan(7_500);
  letGo();
  expect(await client.agents.await(agentId)).toMatchObject({ status: 'killed' });
});
