// For whoever asks why Claude does not run: is the SDK there, which CLI would it start, and does that one answer?
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ProcessOutput, SpawnProcess } from '@toolyard/sdk';
import { findSdk, loadSdk, type Sdk } from '../lib/sdk.ts';

const answerTimeoutMs = 10_000;
/** What is read of an answer; the rest is not a version. */
const maxAnswerLength = 1_000;
/** As old as the oldest SDK that we ask for. */
const minCliVersion = [2, 1, 300] as const;

export interface ClaudeReport {
  /** Version of the SDK; absent when it is not installed. */
  sdk?: string;
  /** The CLI that would be started. */
  command?: string;
  /** What it answers to `--version`. */
  cli?: string;
  isOld?: boolean;
  /** Why it cannot be started. */
  problem?: string;
}

export interface ProbeOptions {
  spawn: SpawnProcess;
  /** The person's own, in place of the SDK's. */
  executable: string | undefined;
}

export async function probeClaude({ spawn, executable }: ProbeOptions): Promise<ClaudeReport> {
  const address = findSdk();
  if (!address) return {};
  const sdk = await readVersion(address);
  try {
    const [command, ...args] = findCommand(await loadSdk(), executable);
    const output = await ask(spawn, command, args);
    const cli = /^\d+(?:\.\d+)+/.exec(output)?.[0];
    if (!cli)
      return {
        sdk,
        command,
        problem: `it does not report its version: ${output.slice(0, 100) || '(no output)'}`,
      };
    return { sdk, command, cli, ...(isOlder(cli) && { isOld: true }) };
  } catch (thrown) {
    return { sdk, problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function readVersion(address: string): Promise<string> {
  const text = await readFile(fileURLToPath(new URL('package.json', address)), 'utf8').catch(() => '{}');
  const manifest: unknown = JSON.parse(text);
  const isNamed = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isNamed ? String(manifest.version) : 'of unknown version';
}

/** The SDK alone knows which file it would start: it is asked to, and stopped right before. */
function findCommand(sdk: Sdk, executable: string | undefined): [string, ...string[]] {
  let found: [string, ...string[]] | undefined;
  const onlyLooking = new Error('only looking');
  try {
    sdk.query({
      prompt: '',
      options: {
        env: {},
        ...(executable && { pathToClaudeCodeExecutable: executable }),
        spawnClaudeCodeProcess({ command, args: [first] }) {
          // A script comes with the program that runs it.
          found = first && !first.startsWith('-') ? [command, first] : [command];
          throw onlyLooking;
        },
      },
    });
  } catch (thrown) {
    if (thrown !== onlyLooking) throw thrown;
  }
  if (!found) throw new Error('the SDK does not report which program it starts');
  return found;
}

async function ask(spawn: SpawnProcess, command: string, args: readonly string[]): Promise<string> {
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const purpose = 'which version of Claude Code is this';
  const started = await spawn({ command, args: [...args, '--version'], cwd: '/', env: {}, purpose, signal });
  const [output] = await Promise.all([
    readStart(started.stdout),
    started.stdin.end().catch(() => {}),
    started.exited,
  ]);
  if (signal.aborted) throw new Error(`${command} did not answer within ${answerTimeoutMs / 1_000} s`);
  return output.trim();
}

/** Reads to the end, keeps the beginning. */
async function readStart(output: ProcessOutput): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of output) {
    if (text.length < maxAnswerLength) text += decoder.decode(chunk, { stream: true });
  }
  return text.slice(0, maxAnswerLength);
}

function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number);
  const at = minCliVersion.findIndex((oldest, index) => (parts[index] ?? 0) !== oldest);
  return at >= 0 && (parts[at] ?? 0) < (minCliVersion[at] ?? 0);
}
