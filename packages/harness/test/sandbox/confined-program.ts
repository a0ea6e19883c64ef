// Runs scripts in a confined shell, as whoever starts it, and prints what they said. For the tests of that shell.
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { textOf } from './support.ts';

export interface ConfinedOrder {
  home: string;
  userHome: string;
  roots: string[];
  cwd: string;
  hosts?: string[];
  scripts: string[];
}

export interface ConfinedResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

const { home, userHome, roots, cwd, hosts = [], scripts }: ConfinedOrder = JSON.parse(process.argv[2] ?? '');
const complain = (...words: unknown[]) => void process.stderr.write(`${words.join(' ')}\n`);
const logger = { debug() {}, info() {}, warn: complain, error: complain };
const env = { PATH: process.env.PATH, HOME: userHome, SECRET: 'canary-environment' };
const sandbox = await openSandbox({ home, env, logger });
const shell = await sandbox.openShell();
if (!shell) throw new Error('This test needs bubblewrap. Install it: apt-get install -y bubblewrap');
await shell.allow('ses_test', { roots, hosts });
shell.begin();
const results: ConfinedResult[] = [];
for (const script of scripts) {
  const owned = await sandbox.spawn({
    command: `${shell.bin}/bash`,
    args: ['-c', script],
    cwd,
    env: { SECRET: 'canary-environment' },
    purpose: 'a test',
    view: { shown: shell.shown },
  });
  await owned.stdin.end();
  const [stdout, stderr, { code }] = await Promise.all([
    textOf(owned.stdout),
    textOf(owned.stderr),
    owned.exited,
  ]);
  results.push({ code, stdout, stderr });
}
await shell.close();
await sandbox.close();
process.stdout.write(JSON.stringify(results));
