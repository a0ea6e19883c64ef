// What a person writes: the home itself, its configuration and roles, and the rules of the default workspace.
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Config } from '@toolyard/sdk';
import { createLiveConfig } from '../config/current-config.ts';
import { findUnknownTools } from '../config-editor/unknown-tools.ts';
import { createOwnRoles } from '../roles/roles.ts';
import { createConfigs } from '../workspace/workspace-config.ts';
import { createWorkspaceFiles } from '../workspace/workspace-files.ts';
import { inspectWorkspace } from '../workspace/workspaces.ts';
import { countOf, type Finding, fail, ok, sentenceOf, warn } from './finding.ts';
import type { DoctorProbes } from './probes.ts';

const secretFiles = ['token', 'toolyard.db', 'config.yaml', 'logs', 'outputs', 'traces', 'backups', 'claude'];

export function checkHome({ home }: DoctorProbes): Finding {
  const found = statSync(home, { throwIfNoEntry: false });
  if (!found) return ok('home', `${home} is created on the first start`);
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail('home', `${home} is not writable`, 'Set TOOLYARD_HOME to a directory that you own.');
  }
  if ((found.mode & 0o077) !== 0) return warn('home', `other users can read ${home}`, `chmod 700 ${home}`);
  // A private folder keeps others out; whoever copies it elsewhere copies these modes along.
  const [open] = secretFiles.map((name) => join(home, name)).filter(isOpenToOthers);
  if (open && !open.endsWith('config.yaml')) {
    return warn('home', `${home}, private, but ${open} is not`, `chmod go= ${open}`);
  }
  return ok('home', `${home}, private`);
}

function isOpenToOthers(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

export async function checkConfig({ readConfig, env, tools }: DoctorProbes): Promise<Finding> {
  try {
    const { path, exists, hasOverlay, config } = await readConfig();
    const unknown = findUnknownTools(config, tools).map(({ path: key, message }) => `${key}: ${message}`);
    const warnings = [...unknown, ...findWarnings(config, env)];
    const file = exists ? path : `no config.yaml${hasOverlay ? '' : '; all defaults apply'}`;
    const what = hasOverlay ? `${file}, overridden by the program` : file;
    if (warnings.length === 0) return ok('config', what);
    return warn('config', `${what}: ${warnings.join('; ')}`, 'See docs/configuration.md.');
  } catch (thrown) {
    return fail('config', sentenceOf(thrown), 'Fix the file, or move it away.');
  }
}

/** What is allowed, and yet worth a thought. */
function findWarnings(config: Config, env: NodeJS.ProcessEnv): string[] {
  const { defaults, workspace, toolApproval, providers } = config;
  const free = Object.entries(toolApproval.perTool).filter(([, tier]) => tier === 'auto').length;
  const keyless = Object.entries(providers).flatMap(([name, { apiKeyEnv }]) =>
    apiKeyEnv && !env[apiKeyEnv]
      ? [`providers.${name} names the variable ${apiKeyEnv}, which is not set`]
      : [],
  );
  return [
    ...(defaults.mode === 'bypassPermissions'
      ? ['defaults.mode is bypassPermissions: agents never ask for approval']
      : []),
    ...(workspace.security === 'full-control'
      ? ['workspace.security is full-control: agents can reach the whole machine']
      : []),
    ...workspace.roots
      .filter((root) => !isAbsolute(root))
      .map((root) => `workspace.roots names ${JSON.stringify(root)}, which is not an absolute path`),
    ...(toolApproval.defaultTier === 'auto'
      ? ['toolApproval.defaultTier is auto: tools without a tier run without approval']
      : []),
    ...(free > 20 ? [`toolApproval.perTool lets ${free} tools run without approval`] : []),
    ...keyless,
  ];
}

export async function checkRoles({ home, shippedFolder, now }: DoctorProbes): Promise<Finding> {
  const found = await createOwnRoles({ shippedFolder, home, clock: { now: () => now } })();
  const broken = found.flatMap((each) => ('broken' in each ? [each.broken] : []));
  const sound = found.length - broken.length;
  const [first] = broken;
  if (!first) return ok('roles', `${countOf(sound, 'role')} usable`);
  const more = broken.length > 1 ? `, and ${broken.length - 1} more` : '';
  return warn('roles', `${first.problem}${more}`, 'Fix the file; `toolyard roles list` shows each problem.');
}

/** Whose rules hold where sessions work by default, and whose do not. */
export async function checkWorkspace({
  workspace: cwd,
  home,
  now,
  readConfig,
}: Pick<DoctorProbes, 'workspace' | 'home' | 'now' | 'readConfig'>): Promise<Finding> {
  const { workspace, ignored } = inspectWorkspace(cwd);
  const { config } = await readConfig();
  const read = createWorkspaceFiles({
    reads: { trustedHash: async () => undefined },
    home,
    roots: () => config.workspace.roots,
    clock: { now: () => now },
  });
  const files = await read(workspace);
  try {
    createConfigs({ base: createLiveConfig(config), trust: { read } }).forFiles(files);
  } catch (thrown) {
    return fail(
      'workspace',
      sentenceOf(thrown),
      'Fix the file: sessions in and below its folder are refused.',
    );
  }
  const all = new Set([...ignored, ...files.ignored]);
  if (all.size === 0) return ok('workspace', workspace);
  return warn(
    'workspace',
    `${workspace}: ${[...all].join(' ')}`,
    'If it is yours, make your user its owner.',
  );
}
