import { ToolyardError } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { toErrorResponse } from '../../../src/http/server/errors.ts';
import { openTestYard, quiet } from '../../support/yard.ts';
import { askJson } from '../asking.ts';

it('an error of ours keeps its code, its words and its data', async () => {
  const error = new ToolyardError('invalid_cursor', 'No such event.', { data: { lastSeq: 3 } });
  const response = toErrorResponse(error, quiet);
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: { code: 'invalid_cursor', message: 'No such event.', data: { lastSeq: 3 } } },
  ]);
});

it('anything else is a neutral sentence outside and its cause in the log', async () => {
  const logged: unknown[] = [];
  const logger = {
    ...quiet,
    error: (_: string, data?: Record<string, unknown>) => void logged.push(data?.cause),
  };
  const cause = new TypeError('secret detail');
  const response = toErrorResponse(cause, logger);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(logged).toEqual([cause]);
});

it('damage is the server’s fault; a directory without a repository is not', async () => {
  expect(toErrorResponse(new ToolyardError('database_corrupt', 'Damaged.'), quiet).status).toBe(500);
  const yard = await openTestYard();
  const body = { role: 'developer', prompt: 'x', isolation: 'worktree', cwd: yard.work };
  expect(await askJson(yard, '/api/agents', { body })).toMatchObject({
    status: 400,
    body: { error: { code: 'not_a_repository' } },
  });
});

it.each([
  ['agents', `agt_${'0'.repeat(22)}`],
  ['tasks', 'gone'],
  ['tasks/there', `agt_${'0'.repeat(22)}`],
])('a page of %s after what is not there is refused, and is no end of the list', async (list, gone) => {
  const yard = await openTestYard();
  await yard.client().tasks.create({ slug: 'there' });
  const refused = (code: string) => ({ status: 400, body: { error: { code } } });
  expect(await askJson(yard, `/api/${list}?after=${gone}`)).toMatchObject(refused('invalid_cursor'));
  expect(await askJson(yard, `/api/${list}?after=%20`)).toMatchObject(refused('invalid_request'));
});

it.each(['approvals', 'questions'])('a page of %s after no id of one is refused', async (list) => {
  const answer = await askJson(await openTestYard(), `/api/${list}?after=zz`);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
});

it('a session that is not there is 404 with its code, on every route', async () => {
  const yard = await openTestYard();
  const id = `ses_${'0'.repeat(22)}`;
  const answers = await Promise.all([
    askJson(yard, `/api/sessions/${id}`),
    askJson(yard, `/api/sessions/${id}/events`),
    askJson(yard, `/api/sessions/${id}/messages`, { body: { content: 'hi' } }),
    askJson(yard, `/api/sessions/${id}/messages`, {
      body: { content: 'hi' },
      headers: { accept: 'text/event-stream' },
    }),
    askJson(yard, `/api/sessions/${id}/interrupt`, { method: 'POST' }),
    askJson(yard, `/api/sessions/${id}/retry`, { method: 'POST' }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'session_not_found' } } });
  }
});

it('a name that cannot be one is 404, too, with a command that there is', async () => {
  const yard = await openTestYard();
  const messageOf = async (path: string) => {
    const { status, body } = await askJson(yard, path);
    expect(status).toBe(404);
    return body;
  };
  const runs = 'There is no such run. List them with `toolyard agents list --all --json`.';
  expect(await messageOf('/api/runs/x')).toEqual({ error: { code: 'run_not_found', message: runs } });
  const tasks = 'There is no such task. List them with `toolyard tasks list`.';
  expect(await messageOf('/api/tasks/..%2Fx')).toEqual({ error: { code: 'task_not_found', message: tasks } });
});

it('a task that is not there is 404 for its agents, too', async () => {
  const yard = await openTestYard();
  await yard.client().tasks.create({ slug: 'orchard' });
  expect(await askJson(yard, '/api/agents?taskSlug=orchard')).toMatchObject({
    status: 200,
    body: { items: [] },
  });
  expect(await askJson(yard, '/api/agents?taskSlug=orchad')).toMatchObject({
    status: 404,
    body: { error: { code: 'task_not_found', message: 'There is no task orchad. Did you mean "orchard"?' } },
  });
});
