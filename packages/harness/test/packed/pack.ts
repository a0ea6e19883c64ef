// Packs both packages as a release would, from a copy of the sources, and installs the tarballs into an empty project.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pause } from '@toolyard/sdk';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const run = promisify(execFile);

export interface Packed {
  /** The empty project, with the tarballs installed. */
  project: string;
  /** What is in each tarball, and how large it is packed. */
  contents: Record<string, { paths: string[]; bytes: number }>;
  /** Runs a program in the project, with a home of its own. */
  run(file: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }>;
  remove(): Promise<void>;
}

export async function packAndInstall(): Promise<Packed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolyard-packed-')));
  const home = join(folder, 'home');
  const remove = async () => {
    await endServer(home);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: process.env.HOME, TOOLYARD_PORT: '0', ...findNpmSettings() };
  const npm: Npm = async (cwd, args) => (await run('npm', args, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  try {
    const tarballs = await pack(folder, npm);
    const project = await install(folder, npm, tarballs);
    return {
      project,
      contents: toContents(tarballs),
      remove,
      run: (file, args) =>
        run(file, args, { cwd: project, env: { ...env, HOME: folder, TOOLYARD_HOME: home } }),
    };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** Where the machine's npm gets packages from; with our Node first, npm would look for its settings elsewhere. */
function findNpmSettings(): NodeJS.ProcessEnv {
  const isSetting = ([name]: [string, unknown]) => name.toLowerCase().startsWith('npm_config_');
  return Object.fromEntries(Object.entries(process.env).filter(isSetting));
}

type Npm = (cwd: string, args: readonly string[]) => Promise<string>;

async function pack(folder: string, npm: Npm): Promise<Tarball[]> {
  const clone = await copySources(folder);
  const said = await npm(clone, ['pack', '--json', '-w', 'packages/sdk', '-w', 'packages/harness']);
  // npm's own words: a list, or from version 11 on an object by name.
  const tarballs = Object.values(JSON.parse(said) as Record<string, Tarball>);
  return tarballs.map((each) => ({ ...each, filename: join(clone, each.filename) }));
}

async function install(folder: string, npm: Npm, tarballs: readonly Tarball[]): Promise<string> {
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const files = tarballs.map(({ filename }) => filename);
  await npm(project, ['install', '--prefer-offline', '--no-audit', '--no-fund', ...files]);
  return project;
}

function toContents(tarballs: readonly Tarball[]): Packed['contents'] {
  const entries = tarballs.map(({ name, size, files }) => {
    return [name, { paths: files.map(({ path }) => path).sort(), bytes: size }] as const;
  });
  return Object.fromEntries(entries);
}

/** Ends the server that a command has started in the background. */
async function endServer(home: string): Promise<void> {
  const text = await readFile(join(home, 'server.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  process.kill(JSON.parse(text).pid, 'SIGTERM');
  for (let waited = 0; waited < 100 && existsSync(join(home, 'server.json')); waited++) await pause(50);
}

/** The sources beside the dependencies that are installed already: what others build or run here is not disturbed. */
async function copySources(folder: string): Promise<string> {
  const clone = join(folder, 'clone');
  for (const path of [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'LICENSE',
    'scripts',
    'packages',
  ])
    await cp(join(root, path), join(clone, path), { recursive: true, filter: isSource });
  await mkdir(join(clone, 'node_modules', '@toolyard'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === '@toolyard' || name === 'toolyard') continue;
    await symlink(join(root, 'node_modules', name), join(clone, 'node_modules', name));
  }
  await symlink(join(clone, 'packages', 'sdk'), join(clone, 'node_modules', '@toolyard', 'sdk'));
  return clone;
}

function isSource(path: string): boolean {
  return !['node_modules', 'dist', 'test', '.cache'].includes(basename(path));
}

interface Tarball {
  name: string;
  filename: string;
  size: number;
  files: { path: string }[];
}
