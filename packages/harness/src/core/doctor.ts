// First checks for a person whose yard does not work: each finding says what is so and how to mend it.
import { accessSync, constants, statSync } from 'node:fs';
import { type Health, ToolyardError } from '@toolyard/sdk';
import { readConfig } from './config.ts';
import { findAnthropicAccess } from './credentials.ts';
import { readServerFile } from './home.ts';

export interface Finding {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  message: string;
  fix?: string;
}

export interface DoctorProbes {
  home: string;
  env: NodeJS.ProcessEnv;
  /** Opens the database of a stopped server read-only and says what is wrong with it, if anything. */
  checkDatabase(): Promise<void>;
  /** Asks a server for its health; throws when none answers. */
  askHealth(url: string): Promise<Health>;
  /** Tries how processes can be owned here. */
  probeSandbox(): Promise<{ kind: 'namespace' | 'group'; reason?: string }>;
}

export async function diagnose(probes: DoctorProbes): Promise<Finding[]> {
  return [
    checkNode(),
    checkHome(probes.home),
    await checkConfig(probes.home),
    await checkServer(probes),
    await checkDatabase(probes),
    await checkProcesses(probes),
    checkModel(probes.env),
  ];
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 24 || (major === 24 && minor >= 11);
  const message = `Node ${process.versions.node}`;
  return ok
    ? { name: 'node', state: 'ok', message }
    : { name: 'node', state: 'fail', message, fix: 'Use Node 24.11 or newer.' };
}

function checkHome(home: string): Finding {
  const name = 'home';
  const found = statSync(home, { throwIfNoEntry: false });
  if (!found) return { name, state: 'ok', message: `${home} will be made on the first start` };
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      name,
      state: 'fail',
      message: `${home} cannot be written`,
      fix: 'Set TOOLYARD_HOME to a directory of your own.',
    };
  }
  if ((found.mode & 0o077) === 0) return { name, state: 'ok', message: `${home}, private` };
  return { name, state: 'warn', message: `${home} can be read by others`, fix: `chmod 700 ${home}` };
}

async function checkConfig(home: string): Promise<Finding> {
  const name = 'config';
  try {
    const { path, exists } = await readConfig(home);
    return { name, state: 'ok', message: exists ? path : 'no config.yaml; every default holds' };
  } catch (thrown) {
    return { name, state: 'fail', message: sentenceOf(thrown), fix: 'Mend the file, or move it away.' };
  }
}

async function checkServer({ home, askHealth }: DoctorProbes): Promise<Finding> {
  const name = 'server';
  const file = await readServerFile(home);
  if (!file) return { name, state: 'ok', message: 'not running; commands start it when they need it' };
  try {
    const { version, pid } = await askHealth(file.url);
    return { name, state: 'ok', message: `${version} at ${file.url}, pid ${pid}` };
  } catch {
    return {
      name,
      state: 'warn',
      message: `a server was started at ${file.url} (pid ${file.pid}) and does not answer`,
      fix: 'The next start takes over by itself.',
    };
  }
}

async function checkDatabase({ checkDatabase: check }: DoctorProbes): Promise<Finding> {
  try {
    await check();
    return { name: 'database', state: 'ok', message: 'sound' };
  } catch (thrown) {
    return {
      name: 'database',
      state: 'fail',
      message: sentenceOf(thrown),
      fix: 'Restore a copy, or move the file away.',
    };
  }
}

async function checkProcesses({ probeSandbox }: DoctorProbes): Promise<Finding> {
  const name = 'processes';
  const { kind, reason } = await probeSandbox();
  if (kind === 'namespace') {
    return { name, state: 'ok', message: 'each in a namespace of its own: they die with the server' };
  }
  const message = `${reason}: leftovers of a killed server end at its next start, and processes can read the home`;
  const fix = process.platform === 'linux' ? { fix: 'Install bubblewrap, or see docs/processes.md.' } : {};
  return { name, state: 'warn', message, ...fix };
}

function checkModel(env: NodeJS.ProcessEnv): Finding {
  const name = 'model';
  if (findAnthropicAccess(env))
    return { name, state: 'ok', message: 'Anthropic, by the key in the environment' };
  return {
    name,
    state: 'warn',
    message: 'no key found: a scripted model rehearses',
    fix: 'Set ANTHROPIC_API_KEY and start again.',
  };
}

function sentenceOf(thrown: unknown): string {
  if (thrown instanceof ToolyardError) return thrown.message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
