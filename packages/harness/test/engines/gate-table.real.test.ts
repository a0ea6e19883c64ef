// Proofs for the table in docs/claude.md that no other test gives: what an engine brings, and a gate that is broken.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, EngineSpec } from '@toolyard/sdk';
import { createRecordingHost, suiteTools } from '@toolyard/sdk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createNativeEngine } from '../../src/engines/native/engine.ts';
import { temporaryDirectory } from '../support/yard.ts';
import { openClaudeWorld } from './claude/claude-world.ts';
import { accessTo } from './native/native-turn.ts';

it('the native engine brings no tools of its own', () => {
  const engine: Engine = createNativeEngine({ access: accessTo({}) });
  expect(engine.nativeTools).toEqual([]);
});

const scenario = `
rules:
  - when: { step: { min: 1 } }
    reply: [{ text: "heard: {{result}}" }]
  - when: { user: echo }
    reply: [{ call: { tool: mcp__suite__echo, input: { text: hello } } }]
  - when: { user: "read {path}" }
    reply: [{ call: { tool: Read, input: { file_path: "{{path}}" } } }]
`;

/** One turn on the real CLI in which a tool is called, judged by `judge`. */
async function call(message: (cwd: string) => string, judge?: () => never) {
  const path = join(await temporaryDirectory(), 'scenario.yaml');
  await writeFile(path, scenario);
  const world = await openClaudeWorld(path);
  onTestFinished(world.close);
  await writeFile(join(world.cwd, 'notes.txt'), 'swordfish');
  const spec: EngineSpec = {
    sessionId: 'ses_1',
    model: 'anthropic/any',
    instructions: '',
    cwd: world.cwd,
    maxSteps: 5,
    tools: suiteTools,
    nativeTools: ['claude:Read'],
  };
  const session = await world.engine.start(spec);
  const host = createRecordingHost(judge ? { judge } : {});
  const outcome = await session.prompt({ kind: 'message', content: message(world.cwd) }, host);
  await session.close();
  const heard = host.events
    .flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : []))
    .join('');
  return { outcome, host, heard };
}

const broken = () => {
  throw new Error('the judge is broken');
};
// Reading is what the CLI runs by its own rules when nobody objects.
const messages = {
  'a tool of ours': () => 'echo',
  'a tool of the CLI': (cwd: string) => `read ${cwd}/notes.txt`,
};

it.each(Object.entries(messages))(
  'a judge that throws lets nothing run on claude: %s',
  { timeout: 60_000 },
  async (_, message) => {
    const { outcome, host, heard } = await call(message, broken);
    expect(outcome).toMatchObject({ outcome: 'completed' });
    expect(host.events.filter(({ type }) => type === 'tool_call_end')).toHaveLength(1);
    expect(host.calls).toEqual([]);
    expect(host.endings).toMatchObject([{ isError: true }]);
    expect(heard).toContain('heard: ');
    expect(heard).not.toContain('swordfish');
  },
);

it('a judge that allows lets the same call run, so that the others prove something', {
  timeout: 60_000,
}, async () => {
  const { host, heard } = await call(messages['a tool of the CLI']);
  expect(heard).toContain('swordfish');
  expect(host.endings).toMatchObject([{ tool: 'claude:Read', isError: false }]);
});
