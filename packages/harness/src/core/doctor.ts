// First checks for a person whose yard does not work: each finding says what is so and how to mend it.
import { accessSync, constants, statSync } from 'node:fs';
import { type Health, ToolyardError } from '@toolyard/sdk';
import { readConfig } from './config.ts';
import { findAnthropicAccess, hasClaudeLogin } from './credentials.ts';
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
  /** Asks the CLI of the Claude engine for its version. */
  probeClaude(executable: string | undefined): Promise<ClaudeFacts>;
  /** Looks for conversations of Claude Code; no path when the environment names no home. */
  probeTranscripts(): Promise<{ path?: string; count: number; problems: { path: string; code: string }[] }>;
}

/** What can be known of Claude Code without a conversation. */
export interface ClaudeFacts {
  sdk?: string;
  command?: string;
  cli?: string;
  isOld?: boolean;
  problem?: string;
}

export async function diagnose(probes: DoctorProbes): Promise<Finding[]> {
  return [
    checkNode(),
    checkHome(probes.home),
    await checkConfig(probes.home),
    await checkServer(probes),
    await checkDatabase(probes),
    await checkProcesses(probes),
    await checkClaude(probes),
    await checkTranscripts(probes),
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

async function checkTranscripts({ probeTranscripts }: DoctorProbes): Promise<Finding> {
  const name = 'transcripts';
  const { path, count, problems } = await probeTranscripts();
  const [problem] = problems;
  if (!path) {
    const message = 'HOME is not set: sessions made with claude are not found';
    return { name, state: 'warn', message, fix: 'Set HOME, or CLAUDE_CONFIG_DIR, and start again.' };
  }
  if (!problem) return { name, state: 'ok', message: `${count} of Claude Code in ${path}` };
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  const message = `${problem.path} cannot be read (${problem.code})${more}: its sessions are not listed`;
  return { name, state: 'warn', message, fix: `Look at who may read it: ls -ld ${problem.path}` };
}

async function checkClaude({ home, probeClaude }: DoctorProbes): Promise<Finding> {
  const name = 'claude';
  // A broken file is a finding of its own.
  const executable = await readConfig(home).then(
    ({ config }) => config.claude.executable,
    () => undefined,
  );
  const { sdk, cli, command, isOld, problem } = await probeClaude(executable);
  const install = 'npm install @anthropic-ai/claude-agent-sdk';
  if (!sdk) {
    const message = 'the Claude Agent SDK is not installed: sessions run on the native engine';
    return { name, state: 'warn', message, fix: install };
  }
  const mend = executable
    ? 'Mend or remove claude.executable in config.yaml.'
    : `Install it again: ${install}`;
  if (problem)
    return { name, state: 'fail', message: `Claude Code cannot be started: ${problem}`, fix: mend };
  const message = `Claude Code ${cli} (${command}), SDK ${sdk}`;
  if (!isOld) return { name, state: 'ok', message };
  const fix = executable ? `Update it, or remove claude.executable in config.yaml.` : `${install}@latest`;
  return { name, state: 'warn', message: `${message}: older than what Toolyard is made for`, fix };
}

function checkModel(env: NodeJS.ProcessEnv): Finding {
  const name = 'model';
  if (findAnthropicAccess(env))
    return { name, state: 'ok', message: 'Anthropic, by the key in the environment' };
  if (hasClaudeLogin(env))
    return {
      name,
      state: 'ok',
      message: 'Anthropic, by your login of Claude Code, for the claude engine only',
    };
  return {
    name,
    state: 'warn',
    message: 'no login and no key found: a scripted model rehearses',
    fix: 'Run `claude` and log in with /login, or set ANTHROPIC_API_KEY; then start again.',
  };
}

function sentenceOf(thrown: unknown): string {
  if (thrown instanceof ToolyardError) return thrown.message;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
