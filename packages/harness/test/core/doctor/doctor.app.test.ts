// The doctor: each finding is right about a machine and a home that are right, and about each way they can be wrong.
import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type ErrorCode, type Finding, type Health, ToolyardError } from '@toolyard/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { diagnose as diagnoseHome } from '../../../src/app/doctor.ts';
import { readConfig } from '../../../src/core/config/config.ts';
import { diagnose } from '../../../src/core/doctor/diagnose.ts';
import { toSize } from '../../../src/core/doctor/finding.ts';
import type { ClaudeSettingsFacts, DatabaseFacts, DoctorProbes } from '../../../src/core/doctor/probes.ts';
import { memoryDirectory } from '../../support/yard.ts';

const now = Date.parse('2026-11-15T12:00:00.000Z');
const health: Health = {
  ok: true,
  product: 'Toolyard',
  version: 'development',
  pid: 7,
  rehearsing: true,
  uptimeSeconds: 1,
};
const sound: DatabaseFacts = {
  schema: { found: 7, known: 7 },
  size: { usedBytes: 204_800, freeBytes: 0 },
  canShrink: true,
  sessions: 2,
  newestAt: '2026-11-15T11:00:00.000Z',
  audit: { ok: true, rows: 3 },
  search: { indexed: 10, last: 10, titles: true },
  owner: { pid: 7, host: hostname(), held: false, isAlive: false, beatAt: now },
};

const configured = { folder: '/home/claude', theirs: '/user/.claude' };

async function newProbes(changed: Partial<DoctorProbes> = {}): Promise<DoctorProbes> {
  const { home = await memoryDirectory() } = changed;
  return {
    home,
    env: {},
    now,
    shippedFolder: 'none',
    workspace: home,
    readConfig: async () => ({ ...(await readConfig(home)), hasOverlay: false }),
    tools: { toolkits: ['agents'], tools: ['mcp__toolyard__ping', 'mcp__suite__pay'] },
    inspectDatabase: async () => sound,
    askHealth: () => Promise.reject(new Error('nobody')),
    admitsCookie: async () => false,
    answers: async () => true,
    findPortOwner: async () => undefined,
    probeSandbox: async () => ({ kind: 'namespace' }),
    proveConfinement: async () => [],
    attempts: 9,
    probeClaude: async () => ({ sdk: '1', cli: '2', command: 'claude' }),
    probeClaudeSettings: async () => ({ ...configured, reaching: [], ignored: [] }),
    probeTranscripts: async () => ({ path: '/p', count: 0, problems: [] }),
    ...changed,
  };
}

const refuse = (code: ErrorCode) => () => Promise.reject(new ToolyardError(code, 'No.'));

async function findingOf(name: string, probes: DoctorProbes): Promise<Finding | undefined> {
  return (await diagnose(probes)).find((finding) => finding.name === name);
}

const withFacts = (changed: Partial<DatabaseFacts>) =>
  newProbes({ inspectDatabase: async () => ({ ...sound, ...changed }) });

describe('commands', () => {
  const withConfig = async (text: string, changed: Partial<DoctorProbes>) => {
    const probes = await newProbes(changed);
    await writeFile(join(probes.home, 'config.yaml'), text);
    return findingOf('commands', probes);
  };

  it('are confined if every attempt fails; what succeeded is named; without bounds or bubblewrap none is made', async () => {
    expect(await withConfig('', {})).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('9 attempts'),
    });
    const proveConfinement = async () => ['reach the network', 'outlive its session'];
    expect(await withConfig('', { proveConfinement })).toMatchObject({
      state: 'fail',
      message: 'a command could reach the network, outlive its session',
    });
    const broken = async () => Promise.reject(new Error('the disk is full'));
    expect(await withConfig('', { proveConfinement: broken })).toMatchObject({
      state: 'fail',
      message: 'no command can be run: the disk is full',
    });
    const free = 'workspace: { security: full-control }\n';
    expect(await withConfig(free, { proveConfinement: broken })).toMatchObject({ state: 'warn' });
    const probeSandbox = async () => ({ kind: 'group', reason: 'no' }) as const;
    expect(await withConfig('', { probeSandbox })).toBeUndefined();
  });
});

describe('what must hold', () => {
  it('is looked at one by one, and all of it is well in a home that is', async () => {
    const probes = await newProbes({ env: { ANTHROPIC_API_KEY: 'x' } });
    await mkdir(join(probes.home, 'backups'), { mode: 0o700 });
    await writeFile(join(probes.home, 'backups', 'toolyard-1.tar.gz'), '', { mode: 0o600 });
    const findings = await diagnose(probes);
    expect(findings.map(({ name }) => name)).toEqual([
      ...[
        'node',
        'clock',
        'home',
        'config',
        'roles',
        'workspace',
        'server',
        'address',
        'lease',
        'database',
        'audit',
      ],
      ...[
        'search',
        'disk',
        'retention',
        'logs',
        'backup',
        'processes',
        'commands',
        'claude',
        'settings',
        'transcripts',
        'model',
      ],
    ]);
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(JSON.stringify(findings)).not.toContain('"x"');
  });

  it('is no reason to break: a check that cannot be made is a finding', async () => {
    const probes = await newProbes({ probeSandbox: () => Promise.reject(new Error('no')) });
    expect(await findingOf('processes', probes)).toEqual({
      name: 'processes',
      state: 'warn',
      message: 'check failed: no',
    });
  });

  it('says sizes as people do', () => {
    expect([0, 1_023, 1_024, 1_536, 10_485_760, 4_294_967_296].map(toSize)).toEqual([
      ...['0 bytes', '1023 bytes', '1 KB', '1.5 KB', '10 MB', '4 GB'],
    ]);
  });
});

describe('S8: processes', () => {
  const open = 'agents cannot run commands, because nothing would confine them';
  const shut = 'Claude Code, git and commands cannot run, because nothing would confine them';
  const free = 'agents run commands that nothing confines. They can read and change all that you can';

  it.each([
    ['group', 'limited-control', 'warn', `why: ${open}`],
    ['failed', 'limited-control', 'fail', `why: ${shut}`],
    ['group', 'full-control', 'warn', `why, and workspace.security is full-control: ${free}`],
    ['failed', 'full-control', 'warn', `why, and workspace.security is full-control: ${free}`],
  ] as const)('that are %s in %s', async (kind, security, state, message) => {
    const probes = await newProbes({ probeSandbox: async () => ({ kind, reason: 'why' }) });
    await writeFile(join(probes.home, 'config.yaml'), `workspace: { security: ${security} }\n`);
    const fix = expect.stringMatching(security === 'full-control' ? /processes\.md/ : /full-control/);
    expect(await findingOf('processes', probes)).toEqual({ name: 'processes', state, message, fix });
  });

  it('are not believed to be free when nobody can tell what the person has chosen', async () => {
    const probes = await newProbes({ probeSandbox: async () => ({ kind: 'failed', reason: 'why' }) });
    await writeFile(join(probes.home, 'config.yaml'), 'workspace: [\n');
    expect(await findingOf('processes', probes)).toMatchObject({ state: 'fail' });
  });
});

describe('the clock', () => {
  it('is wrong when it is long past, or before what was already written', async () => {
    expect(await findingOf('clock', await newProbes({ now: 0 }))).toMatchObject({ state: 'fail' });
    expect(await findingOf('clock', await withFacts({ newestAt: '2026-11-16T00:00:00.000Z' }))).toMatchObject(
      {
        state: 'warn',
        message: expect.stringContaining('the database was written at 2026-11-16T00:00:00.000Z'),
      },
    );
  });
});

describe('the home', () => {
  it('is open when it, or what is secret in it, can be read by others', async () => {
    const probes = await newProbes();
    await writeFile(join(probes.home, 'token'), 'x', { mode: 0o644 });
    await chmod(join(probes.home, 'token'), 0o644);
    expect(await findingOf('home', probes)).toMatchObject({
      state: 'warn',
      fix: `chmod go= ${join(probes.home, 'token')}`,
    });
    await chmod(probes.home, 0o755);
    expect(await findingOf('home', probes)).toMatchObject({ state: 'warn', fix: `chmod 700 ${probes.home}` });
  });

  it('has a configuration that is broken, or worth a thought', async () => {
    const probes = await newProbes();
    const write = (text: string) => writeFile(join(probes.home, 'config.yaml'), text);
    await write('servr: {}\n');
    expect(await findingOf('config', probes)).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('Did you mean "server"'),
    });
    await write(
      'defaults: { mode: bypassPermissions }\nworkspace: { security: full-control, roots: [~/x] }\n',
    );
    expect(await findingOf('config', probes)).toMatchObject({
      state: 'warn',
      message: expect.stringMatching(
        /bypassPermissions: agents never ask.*; workspace.security is full-control.*; workspace.roots names "~\/x", which is not/,
      ),
    });
    await write('toolkits: { agent: false }\ntoolApproval: { perTool: { mcp__toolyard__pnig: auto } }\n');
    expect(await findingOf('config', probes)).toMatchObject({
      state: 'warn',
      message: expect.stringContaining(
        'config.yaml: toolkits.agent: there is no such toolkit. Did you mean "agents"?; toolApproval.perTool.mcp__toolyard__pnig: there is no such tool. Did you mean "mcp__toolyard__ping"?',
      ),
    });
    await write(
      'providers: { mine: { type: openai-compatible, baseUrl: "http://x/v1", apiKeyEnv: MINE } }\n',
    );
    expect(await findingOf('config', probes)).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('providers.mine names the variable MINE, which is not set'),
    });
  });

  it('has roles that do not parse', async () => {
    const probes = await newProbes();
    await mkdir(join(probes.home, 'roles'));
    await writeFile(join(probes.home, 'roles', 'helper.md'), '---\nname: [\n---\nHelp.\n');
    expect(await findingOf('roles', probes)).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('helper.md'),
    });
  });
});

describe('the server', () => {
  const say = (home: string) =>
    writeFile(
      join(home, 'server.json'),
      JSON.stringify({ pid: 7, url: 'http://127.0.0.1:1', startedAt: 'x' }),
    );

  it('answers, or has left a word and does not', async () => {
    const probes = await newProbes();
    await say(probes.home);
    expect(await findingOf('server', probes)).toMatchObject({ state: 'warn' });
    const admitsCookie = async () => true;
    expect(
      await findingOf('server', { ...probes, askHealth: async () => health, admitsCookie }),
    ).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('lets a cookie in'),
    });
    expect(await findingOf('server', { ...probes, askHealth: async () => health })).toEqual({
      name: 'server',
      state: 'ok',
      message: 'development at http://127.0.0.1:1, pid 7',
    });
  });

  it.each([
    [{ held: true, isAlive: false }, 'warn', /owned the home and exited without releasing it/],
    [{ held: true, isAlive: true }, 'warn', /owns the home, but no server answers/],
    [{ held: true, isAlive: true, host: 'other' }, 'warn', /process 7 on other owns the home/],
    [{ held: false, isAlive: false }, 'ok', /^the home is free$/],
  ])('holds the home by a lease: %j', async (owner, state, message) => {
    const probes = await withFacts({ owner: { pid: 7, host: hostname(), beatAt: now, ...owner } });
    expect(await findingOf('lease', probes)).toMatchObject({
      state,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['server: { host: 0.0.0.0 }', {}, 'fail', /without TOOLYARD_TOKEN the server does not start/],
    ['server: { host: 0.0.0.0 }', { TOOLYARD_TOKEN: 'short' }, 'warn', /short enough to guess/],
    ['server: { host: 0.0.0.0 }', { TOOLYARD_TOKEN: 'x'.repeat(32) }, 'warn', /is not encrypted/],
    ['', { TOOLYARD_PORT: 'abc' }, 'fail', /TOOLYARD_PORT is "abc"/],
    ['server: { port: 1 }', {}, 'ok', /^127\.0\.0\.1:1, for this machine only$/],
  ])('listens where it may: %s %j', async (config, env, state, message) => {
    const probes = await newProbes({ env });
    await writeFile(join(probes.home, 'config.yaml'), config);
    expect(await findingOf('address', probes)).toMatchObject({
      state,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['leads to this server', async () => health, 'ok', 'https://yard.example leads to this server'],
    [
      'leads elsewhere',
      async () => ({ ...health, pid: 8 }),
      'warn',
      /leads to another Toolyard server, pid 8/,
    ],
    ['is new to the server', refuse('forbidden_host'), 'warn', /does not know https:\/\/yard\.example yet/],
    ['changes the Host', refuse('forbidden_origin'), 'warn', /under another Host/],
    ['is off', refuse('server_unreachable'), 'warn', /does not answer, or its certificate is not trusted/],
    ['is something else', refuse('internal'), 'warn', /answers, but not as Toolyard/],
  ])('is behind a proxy that %s', async (_, askPublic, state, message) => {
    const publicUrl = 'https://yard.example';
    const asked: unknown[] = [];
    const probes = await newProbes({
      askHealth: async (url, origin) => {
        if (url !== publicUrl) return health;
        asked.push(origin);
        return askPublic();
      },
    });
    await say(probes.home);
    await writeFile(join(probes.home, 'config.yaml'), `server: { publicUrl: ${publicUrl} }`);
    expect(await findingOf('proxy', probes)).toMatchObject({
      state,
      message: expect.stringMatching(message),
    });
    // As the page would ask.
    expect(asked).toEqual([publicUrl]);
  });

  it('cannot listen on a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const home = await memoryDirectory();
    await writeFile(join(home, 'config.yaml'), `server: { port: ${port} }\n`);
    const findings = await diagnoseHome(home, { PATH: process.env.PATH, HOME: home });
    expect(findings.find(({ name }) => name === 'address')).toMatchObject({
      state: 'warn',
      message: expect.stringMatching(`^port ${port} is in use by `),
    });
  });
});

describe('what is kept', () => {
  it('is damaged, and then nothing that rests on it is claimed', async () => {
    const probes = await newProbes({ inspectDatabase: () => Promise.reject(new Error('It is damaged.')) });
    expect(await findingOf('database', probes)).toMatchObject({ state: 'fail', message: 'It is damaged.' });
    expect(await findingOf('audit', probes)).toMatchObject({ message: 'nothing to check' });
  });

  it('has evidence that was touched, or an index that is not done', async () => {
    expect(
      await findingOf('audit', await withFacts({ audit: { ok: false, rows: 9, brokenAt: 4 } })),
    ).toMatchObject({
      state: 'fail',
      message: 'the audit is broken at row 4 of 9',
    });
    const search = { indexed: 25, last: 100, titles: false };
    expect(await findingOf('search', await withFacts({ search }))).toMatchObject({
      message: expect.stringMatching(/^25 % /),
    });
  });

  it('takes more than it should', async () => {
    const probes = await withFacts({ size: { usedBytes: 3 * 1024 * 1024, freeBytes: 0 } });
    await writeFile(join(probes.home, 'config.yaml'), 'retention: { maxMb: 3 }\n');
    expect(await findingOf('disk', probes)).toMatchObject({
      state: 'warn',
      message: expect.stringMatching(/^3 MB of 3 MB for sessions; home: database 3 MB, other/),
    });
    // What no deletion would free is no reason to warn of one.
    const removed = { sessions: 0, outputs: 0, traces: 0, logs: 0 };
    const last = {
      at: '2026-11-15T11:00:00.000Z',
      removed,
      usedBytes: 0,
      keptBytes: 3_200_000,
      overCap: false,
    };
    await writeFile(join(probes.home, 'retention.json'), JSON.stringify({ last }));
    expect(await findingOf('disk', probes)).toMatchObject({ state: 'ok' });
    expect(await findingOf('retention', probes)).toMatchObject({
      state: 'warn',
      message: expect.stringMatching(/; the audit, usage, tasks and logs alone take 3.1 MB$/),
      fix: 'These are never deleted. Raise retention.maxMb above that.',
    });
  });

  it('was swept, in vain or with an end, or cannot shrink', async () => {
    const probes = await newProbes();
    const removed = { sessions: 2, outputs: 1, traces: 0, logs: 0 };
    const last = { at: '2026-11-15T11:00:00.000Z', removed, usedBytes: 5_000_000_000, overCap: true };
    await writeFile(join(probes.home, 'retention.json'), JSON.stringify({ last, lastRemoval: last }));
    expect(await findingOf('retention', probes)).toMatchObject({
      state: 'warn',
      message:
        '90 days or 4 GB; at 2026-11-15T11:00:00.000Z it removed 2 sessions, 1 output; still 4.7 GB, above the limit',
    });
    await writeFile(join(probes.home, 'retention.json'), 'not json');
    expect(await findingOf('retention', probes)).toMatchObject({ state: 'ok' });
    const size = { usedBytes: 1, freeBytes: 100 * 1024 * 1024 };
    expect(await findingOf('retention', await withFacts({ canShrink: false, size }))).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('100 MB of the database are free and cannot shrink'),
    });
  });

  it('is logged at a level that exists', async () => {
    expect(await findingOf('logs', await newProbes({ env: { TOOLYARD_LOG: 'loud' } }))).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('use one of debug, info, warn, error, silent'),
    });
  });

  it('was backed up, long ago, or never', async () => {
    const probes = await newProbes();
    expect(await findingOf('backup', probes)).toMatchObject({ state: 'warn', message: 'none yet' });
    await mkdir(join(probes.home, 'backups'));
    const path = join(probes.home, 'backups', 'toolyard-1.tar.gz');
    await writeFile(path, '');
    const old = new Date(now - 40 * 86_400_000);
    await utimes(path, old, old);
    expect(await findingOf('backup', probes)).toMatchObject({
      state: 'warn',
      message: `the newest is of ${old.toISOString()}, 40 days old`,
    });
  });
});

describe('the model', () => {
  const others = 'providers: { gone: { type: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" } }\n';

  async function modelWith(config: string, changed: Partial<DoctorProbes> = {}) {
    const probes = await newProbes(changed);
    await writeFile(join(probes.home, 'config.yaml'), config, { mode: 0o600 });
    return findingOf('model', probes);
  }

  it('that is used where none is named must be one that can be reached', async () => {
    expect(await modelWith(others)).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('there is no access to anthropic/'),
      fix: expect.stringContaining('defaults.model'),
    });
    expect(await modelWith(`${others}defaults: { model: gone/any }\n`)).toMatchObject({ state: 'ok' });
  });

  it('of a provider that was added is tried, not looked for', async () => {
    const answers = async (url: string) => url !== 'http://127.0.0.1:1/v1';
    expect(await modelWith(`${others}defaults: { model: gone/any }\n`, { answers })).toMatchObject({
      state: 'warn',
      message: 'nothing answers at http://127.0.0.1:1/v1, the address of gone',
    });
  });
});

describe('what Claude Code obeys', () => {
  const env = { file: '/user/.claude.json', key: 'env.ANTHROPIC_BASE_URL', isManaged: false };
  const hooks = { file: '/etc/claude-code/managed-settings.json', key: 'hooks', isManaged: true };
  const look = async (changed: Partial<ClaudeSettingsFacts>, config = '') => {
    const probes = await newProbes({
      probeClaudeSettings: async () => ({ ...configured, reaching: [], ignored: [], ...changed }),
    });
    await writeFile(join(probes.home, 'config.yaml'), config);
    return findingOf('settings', probes);
  };

  it('is a folder of ours, or the person’s where nothing can be hidden', async () => {
    expect(await look({})).toEqual({
      name: 'settings',
      state: 'ok',
      message:
        'Claude Code is configured by /home/claude in place of /user/.claude, without managed settings',
    });
    expect(await look({ folder: '/user/.claude' })).toMatchObject({
      state: 'ok',
      message: 'Claude Code uses /user/.claude; nothing there or in managed settings touches the gate',
    });
  });

  it('is named when somebody else wrote it', async () => {
    expect(await look({ reaching: [hooks, env] }, 'claude: { trustManagedSettings: true }')).toEqual({
      name: 'settings',
      state: 'warn',
      message: '/etc/claude-code/managed-settings.json sets hooks: Claude Code is not started (and 1 more)',
      fix: 'Remove it there, or claude.trustManagedSettings from config.yaml.',
    });
    expect(await look({ ignored: [env] })).toMatchObject({
      state: 'warn',
      message:
        '/user/.claude.json sets env.ANTHROPIC_BASE_URL: ignored here, but `claude` in a terminal obeys it',
    });
  });
});

it('the address is the one at which a server that runs was told to listen', async () => {
  const health = { version: '1', pid: 1 } as Awaited<ReturnType<DoctorProbes['askHealth']>>; // all that is looked at
  const probes = await newProbes({ askHealth: async () => health });
  const file = { url: 'http://127.0.0.1:4977', pid: 1, startedAt: '2026-01-01T00:00:00.000Z' };
  await writeFile(join(probes.home, 'server.json'), JSON.stringify(file), { mode: 0o600 });
  expect(await findingOf('address', probes)).toMatchObject({
    state: 'ok',
    message: '127.0.0.1:4977, for this machine only',
  });
});
