import type { ToolContext } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { portOf } from '../../src/app/environment.ts';
import { readConfig } from '../../src/core/config/config.ts';
import { serverToolkit } from '../../src/tools/server.ts';

const context: ToolContext = {
  sessionId: 'ses',
  turnId: 'trn',
  toolCallId: 'call',
  cwd: '/tmp',
  signal: new AbortController().signal,
  progress() {},
};
const readOutput = () => Promise.reject(new Error('none'));
const now = new Date('2026-01-02T03:04:05.678Z');

function run(tool: string, input: unknown, port = 4242) {
  const kit = serverToolkit({
    now: () => now,
    version: 'development',
    port: () => port,
    uptimeSeconds: () => 61.9,
    readOutput,
  });
  return kit.tools.find(({ name }) => name === tool)?.run(input, context);
}

describe('ping', () => {
  it('answers pong with the time and the server', async () => {
    expect(await run('ping', {})).toEqual({
      status: 'pong',
      timestamp: now.toISOString(),
      server: 'toolyard',
    });
  });
});

describe('get_server_info', () => {
  it('leaves the uptime out unless asked', async () => {
    const info = { product: 'Toolyard', version: 'development', port: '4242' };
    expect(await run('get_server_info', {})).toEqual(info);
    expect(await run('get_server_info', { include_uptime: false })).toEqual(info);
  });

  it('adds whole seconds of uptime when asked', async () => {
    expect(await run('get_server_info', { include_uptime: true })).toMatchObject({ uptime_seconds: 61 });
  });

  it('tells the port from the environment, as text', async () => {
    const { config } = await readConfig('/nonexistent');
    const port = portOf({ TOOLYARD_PORT: '9999' }, config);
    expect(await run('get_server_info', {}, port)).toMatchObject({ port: '9999' });
    expect(portOf({}, config)).toBe(4242);
    expect(() => portOf({ TOOLYARD_PORT: 'many' }, config)).toThrow(/TOOLYARD_PORT is "many"/);
  });
});
