import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Session } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { openTestYard } from '../../support/yard.ts';
import { askJson } from '../asking.ts';

it('a session that names nothing gets every default', async () => {
  const yard = await openTestYard();
  const { status, body } = await askJson(yard, '/api/sessions', { body: {} });
  expect(status).toBe(201);
  expect(Session.parse(body)).toEqual({
    id: body.id,
    title: '',
    role: 'assistant',
    engine: 'scripted',
    model: 'anthropic/claude-sonnet-5',
    mode: 'default',
    cwd: yard.work,
    workspace: yard.work,
    status: 'idle',
    lastSeq: 0,
    rootSessionId: body.id,
    costUsd: 0,
    createdAt: body.createdAt,
    updatedAt: body.createdAt,
  });
  expect(await askJson(yard, `/api/sessions/${body.id}`)).toEqual({ status: 200, body });
});

it('a session keeps what it names', async () => {
  const yard = await openTestYard();
  const cwd = join(yard.work, 'inner');
  await mkdir(cwd);
  const wanted = {
    role: 'assistant',
    engine: 'scripted',
    model: 'local/llama3:8b',
    mode: 'plan',
    cwd,
    title: 'Täglich 🌍',
  };
  const { status, body } = await askJson(yard, '/api/sessions', { body: wanted });
  expect([status, body]).toEqual([201, expect.objectContaining(wanted)]);
});

it('sessions are listed newest first, in pages that leave nothing out', async () => {
  const yard = await openTestYard();
  const created: string[] = [];
  for (let count = 0; count < 7; count++) created.unshift((await yard.client().sessions.create()).id);
  const pages: string[][] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const query: string = after && `&after=${after}`;
    const { body } = await askJson(yard, `/api/sessions?limit=3${query}`);
    pages.push(body.items.map(({ id }: Session) => id));
    after = body.next;
  }
  expect(pages).toEqual([created.slice(0, 3), created.slice(3, 6), created.slice(6)]);
});

it('tools and health answer in the shape the routes promise', async () => {
  const yard = await openTestYard();
  const [health, tools] = [await yard.client().health(), await yard.client().tools.list()];
  expect(health).toMatchObject({ ok: true, product: 'Toolyard', pid: process.pid, rehearsing: true });
  expect(tools.items.map(({ name }) => name)).toEqual([
    'mcp__toolyard__ping',
    'mcp__toolyard__get_server_info',
    'mcp__toolyard__read_output',
    'mcp__toolyard__get_session_count',
    'mcp__toolyard__list_active_sessions',
    'mcp__toolyard__get_session_details',
    'mcp__toolyard__search_sessions',
    'mcp__toolyard__draft_agent',
    'mcp__toolyard__await_agent',
    'mcp__toolyard__await_any_agent',
    'mcp__toolyard__kill_agent',
    'mcp__toolyard__list_agents',
    'mcp__toolyard__list_tasks',
    'mcp__toolyard__get_task_context',
    'mcp__toolyard__create_task',
    'mcp__toolyard__close_task',
  ]);
});
