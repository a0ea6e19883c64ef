// The real MCP Inspector, as people run it, lists and calls the tools over HTTP and stdio.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/yard.ts';
import { openMcpYard } from './clients.ts';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
const inspector = join(dirname(manifest), 'clients/launcher/build/index.js');
const main = fileURLToPath(new URL('../../bin/toolyard.mjs', import.meta.url));

/** What it prints for one method, parsed. */
async function inspect(target: string[], method: string[]): Promise<unknown> {
  const home = await temporaryDirectory();
  const args = [inspector, '--cli', ...target, '--method', ...method];
  const child = spawn(process.execPath, args, { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, ...printed }).toMatchObject({ code: 0 });
  return JSON.parse(printed.stdout);
}

const list = ['tools/list', '--strict'];
const call = ['tools/call', '--tool-name', 'ping'];
const listed = { tools: expect.arrayContaining([expect.objectContaining({ name: 'ping' })]) };
const pong = { structuredContent: { status: 'pong', server: 'toolyard', timestamp: expect.any(String) } };

it('lists and calls the tools over HTTP and stdio', async () => {
  const { yard, url } = await openMcpYard('toolApproval: { perTool: { mcp__toolyard__ping: auto } }');
  const overHttp = [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${yard.token}`];
  const config = join(await temporaryDirectory(), 'mcp.json');
  const toolyard = {
    command: process.execPath,
    args: ['--conditions=toolyard-source', main, 'mcp'],
    env: { TOOLYARD_HOME: yard.home, PATH: process.env.PATH ?? '' },
  };
  await writeFile(config, JSON.stringify({ mcpServers: { toolyard } }));
  const overStdio = ['--config', config, '--server', 'toolyard'];
  expect(await inspect(overHttp, list)).toMatchObject(listed);
  expect(await inspect(overHttp, call)).toMatchObject(pong);
  expect(await inspect(overStdio, list)).toMatchObject(listed);
  expect(await inspect(overStdio, call)).toMatchObject(pong);
});
