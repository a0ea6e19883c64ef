// The configuration over HTTP: shown with its sources, changed in a file that stays its owner's, never by an agent.
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { expect, it } from 'vitest';
import { openTestYard, quiet, temporaryDirectory } from '../../support/yard.ts';

const written = `# Mine.
limits:
  maxSteps: 20 # enough
toolApproval:
  perTool: { mcp__toolyard__ping: auto }
`;

async function open(text = written, env: NodeJS.ProcessEnv = {}) {
  const home = await temporaryDirectory();
  await writeFile(join(home, 'config.yaml'), text);
  const yard = await openTestYard({ home, env });
  const read = () => readFile(join(home, 'config.yaml'), 'utf8');
  return { yard, home, read, config: yard.client().config };
}

async function refusal(work: Promise<unknown>) {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(thrown instanceof ToolyardError)) throw new Error('it was not refused');
  return { code: thrown.code, issues: thrown.data?.issues };
}

it('shows every key of the schema with its value, its source and where it is changed', async () => {
  const { config, home } = await open(written, { TOOLYARD_PORT: '5000', OPENAI_API_KEY: 'a-key' });
  const { items, path, exists } = await config.read();
  expect([path, exists]).toEqual([join(home, 'config.yaml'), true]);
  const of = (key: string) => items.find((item) => item.key === key);
  expect(of('limits.maxSteps')).toMatchObject({
    value: 20,
    default: 50,
    source: 'file',
    editable: true,
    applies: 'now',
    description: 'Maximum model steps in one turn',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
  });
  expect(of('output.maxBytes')).toMatchObject({ value: 51_200, source: 'default' });
  expect(of('server.port')).toMatchObject({ value: 5000, source: 'start', editable: false });
  expect(of('defaults.model')).toMatchObject({ value: expect.stringMatching(/^openai\//), source: 'start' });
  expect(of('workspace.security')).toMatchObject({
    editable: false,
    where: expect.stringMatching(/config\.yaml/),
  });
  expect(items.length).toBeGreaterThan(25);
  expect(Object.keys(Config.parse({})).every((group) => items.some(({ key }) => key.startsWith(group)))).toBe(
    true,
  );
});

it('writes what is changed, keeps every comment, and counts at once', async () => {
  const { yard, config, read } = await open();
  const { items } = await config.change({
    limits: { maxSteps: 7 },
    toolApproval: { perTool: { mcp__toolyard__get_server_info: 'always' } },
    defaults: { role: 'reviewer' },
  });
  expect(await read()).toBe(`# Mine.
limits:
  maxSteps: 7 # enough
toolApproval:
  perTool: { mcp__toolyard__ping: auto, mcp__toolyard__get_server_info: always }
defaults:
  role: reviewer
`);
  const step = items.find(({ key }) => key === 'limits.maxSteps');
  expect(step).toMatchObject({ value: 7, source: 'file' });
  expect(step).not.toHaveProperty('afterRestart');
  expect((await yard.client().sessions.create()).role).toBe('reviewer');
});

it('says what will only count after the next start', async () => {
  const { config } = await open();
  const { items } = await config.change({ claude: { maxHot: 2 } });
  expect(items.find(({ key }) => key === 'claude.maxHot')).toMatchObject({ value: 4, afterRestart: 2 });
});

it('takes a key back with null, and makes a file where there was none', async () => {
  const { config, read } = await open();
  const { items } = await config.change({ limits: { maxSteps: null } });
  expect(await read()).not.toContain('maxSteps');
  expect(items.find(({ key }) => key === 'limits.maxSteps')).toMatchObject({ value: 50, source: 'default' });
  const yard = await openTestYard();
  expect((await yard.client().config.read()).exists).toBe(false);
  await yard.client().config.change({ output: { maxBytes: 2048 } });
  expect(await readFile(join(yard.home, 'config.yaml'), 'utf8')).toBe('output:\n  maxBytes: 2048\n');
  expect((await lstat(join(yard.home, 'config.yaml'))).mode & 0o077).toBe(0);
});

it.each([
  ['a value out of bounds', { limits: { maxSteps: 0 } }, 'limits.maxSteps'],
  ['a value of another kind', { defaults: { mode: 'always' } }, 'defaults.mode'],
  ['a role that is not there', { defaults: { role: 'nobody' } }, 'defaults.role'],
  ['a model of nobody', { defaults: { model: 'nowhere/x' } }, 'defaults.model'],
  ['a tier that is none, in a map', { toolApproval: { perTool: { a: 'never' } } }, 'toolApproval.perTool.a'],
  ['a toolkit that is not there', { toolkits: { agent: false } }, 'toolkits.agent'],
  [
    'a tool that is not there',
    { toolApproval: { perTool: { mcp__toolyard__pnig: 'auto' } } },
    'toolApproval.perTool.mcp__toolyard__pnig',
  ],
  ['an unknown key', { limits: { maxStep: 3 } }, 'limits.maxStep'],
  ['a whole group that is no group', { limits: 3 }, 'limits'],
  ['what opens the machine', { server: { host: '0.0.0.0' } }, 'server.host'],
  ['how far agents reach', { workspace: { security: 'full-control' } }, 'workspace.security'],
  ['a program to run', { claude: { executable: '/bin/sh' } }, 'claude.executable'],
  ['whose settings count', { claude: { trustManagedSettings: true } }, 'claude.trustManagedSettings'],
  [
    'where keys are sent',
    { providers: { x: { type: 'openai-compatible', baseUrl: 'http://x' } } },
    'providers',
  ],
  ['nothing', { limits: {} }, 'body'],
])(
  'refuses %s at its field, and changes nothing, not even what was right beside it',
  async (_, wrong, path) => {
    const { yard, config, read } = await open();
    const right = { output: { maxBytes: 4096 } };
    const both = path === 'body' ? wrong : { ...right, ...wrong };
    expect(await refusal(config.change(both))).toEqual({
      code: 'invalid_request',
      issues: [{ path, message: expect.any(String) }],
    });
    expect(await read()).toBe(written);
    expect((await yard.client().audit.list()).items).toEqual([]);
  },
);

it('says which tool was probably meant, and lets those be that others may bring', async () => {
  const { config } = await open();
  const perTool = { ping: 'auto', mcp__toolyard__list_taks: 'always', mcp__toolyard__zzzzzz: 'auto' };
  expect(await refusal(config.change({ toolkits: { task: false }, toolApproval: { perTool } }))).toEqual({
    code: 'invalid_request',
    issues: [
      { path: 'toolkits.task', message: 'there is no such toolkit. Did you mean "tasks"?' },
      {
        path: 'toolApproval.perTool.ping',
        message: 'there is no such tool. Did you mean "mcp__toolyard__ping"?',
      },
      {
        path: 'toolApproval.perTool.mcp__toolyard__list_taks',
        message: 'there is no such tool. Did you mean "mcp__toolyard__list_tasks"?',
      },
      { path: 'toolApproval.perTool.mcp__toolyard__zzzzzz', message: 'there is no such tool.' },
    ],
  });
  const others = { mcp__other__x: 'auto', 'claude:Bash': 'always', mcp__toolyard__list_tasks: 'auto' };
  await config.change({ toolkits: { tasks: false }, toolApproval: { perTool: others } });
});

it('starts with a file that names what is not there, says so, and takes other changes and its end', async () => {
  const warnings: unknown[] = [];
  const home = await temporaryDirectory();
  await writeFile(join(home, 'config.yaml'), 'toolkits: { agent: false }\n');
  const logger = { ...quiet, warn: (message: string, data?: object) => void warnings.push([message, data]) };
  const { config, diagnose } = (await openTestYard({ home, logger })).client();
  expect(warnings).toEqual([
    [
      'the configuration names unknown tools or toolkits',
      { path: 'toolkits.agent', message: 'there is no such toolkit. Did you mean "agents"?' },
    ],
  ]);
  const { items } = await diagnose();
  expect(items.find(({ name }) => name === 'config')).toMatchObject({
    state: 'warn',
    message: expect.stringContaining('toolkits.agent: there is no such toolkit.'),
  });
  await config.change({ limits: { maxSteps: 7 } });
  await config.change({ toolkits: { agent: null } });
});

it('leaves a file that is broken alone, and says where', async () => {
  const { yard, config, home } = await open();
  const broken = 'limits: [1\n';
  await writeFile(join(home, 'config.yaml'), broken);
  expect((await config.read()).problem).toMatch(/config\.yaml:\d+:\d+: /);
  expect(await refusal(config.change({ output: { maxBytes: 4096 } }))).toMatchObject({
    code: 'invalid_config',
  });
  expect(await readFile(join(home, 'config.yaml'), 'utf8')).toBe(broken);
  expect((await yard.client().audit.verify()).rows).toBe(0);
});

it('is evidence: who changed what, from what, to what', async () => {
  const { yard, config } = await open();
  await Promise.all([
    config.change({ limits: { maxSteps: 7 } }),
    config.change({ limits: { maxSteps: null } }),
  ]);
  const { items } = await yard.client().audit.list({ order: 'desc', kind: 'change' });
  expect(items.map(({ change, subject, actor }) => ({ change, subject, actor }))).toEqual([
    { change: 'config_changed', subject: 'limits.maxSteps: 7 → default', actor: expect.anything() },
    {
      change: 'config_changed',
      subject: 'limits.maxSteps: 20 → 7',
      actor: { kind: 'person', id: 'owner', via: 'library' },
    },
  ]);
});

it('writes through a link, where the file really is', async () => {
  const home = await temporaryDirectory();
  await mkdir(join(home, 'dotfiles'));
  await writeFile(join(home, 'dotfiles', 'mine.yaml'), written);
  await symlink(join(home, 'dotfiles', 'mine.yaml'), join(home, 'config.yaml'));
  const yard = await openTestYard({ home });
  await yard.client().config.change({ limits: { maxSteps: 9 } });
  expect((await lstat(join(home, 'config.yaml'))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(home, 'dotfiles', 'mine.yaml'), 'utf8')).toContain('maxSteps: 9 # enough');
});

it('A11: is neither shown to nor changed by an agent’s token', async () => {
  const { yard, read } = await open();
  const { secret } = await yard.client().tokens.create({ name: 'agent', role: 'assistant' });
  const answers = await Promise.all(
    (['GET', 'PATCH'] as const).map((method) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const body = method === 'PATCH' ? { body: '{"limits":{"maxSteps":9}}' } : {};
      return yard.fetch(new Request('http://127.0.0.1/api/config', { method, headers, ...body }));
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  expect(await read()).toBe(written);
});
