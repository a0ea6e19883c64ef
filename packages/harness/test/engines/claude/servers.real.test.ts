// Servers that a session names: in-process ones are offered, external ones never reach the CLI.
import type { ToolServer } from '@toolyard/sdk';
import { createRecordingHost, suiteTools } from '@toolyard/sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { openClaudeWorld } from './claude-world.ts';

async function say(servers: readonly ToolServer[], text: string) {
  const world = await openClaudeWorld(scenarioPaths.conformance);
  onTestFinished(() => world.close());
  const session = await world.engine.start({
    sessionId: 'ses_servers',
    model: 'anthropic/claude-sonnet-5',
    instructions: '',
    cwd: world.cwd,
    maxSteps: 5,
    tools: [],
    nativeTools: [],
    servers,
  });
  const host = createRecordingHost();
  const outcome = await session.prompt({ kind: 'message', content: text }, host);
  return {
    outcome: outcome.outcome,
    error: 'error' in outcome ? outcome.error : undefined,
    calls: host.calls,
  };
}

test('an in-process server’s tools are called like any other, through the host', async () => {
  const { outcome, calls } = await say([{ type: 'in-process', tools: suiteTools }], 'conformance: one tool');
  expect([outcome, calls.map(({ name }) => name)]).toEqual(['completed', ['mcp__suite__echo']]);
});

test.each<ToolServer>([
  { type: 'stdio', name: 'files', command: 'touch', args: ['started'] },
  { type: 'http', name: 'files', url: 'http://127.0.0.1:9/mcp' },
  { type: 'sse', name: 'files', url: 'http://127.0.0.1:9/sse' },
])('an external $type server is refused, and nothing starts', async (server) => {
  expect(await say([server], 'conformance: text')).toEqual({
    outcome: 'failed',
    error: expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining('files') }),
    calls: [],
  });
});
