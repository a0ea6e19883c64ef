// `npm run check`: every gate that needs no running program. All of them run; any failure fails the whole.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './source/repository.ts';

interface Step {
  title: string;
  command: string;
  args: string[];
}

interface Result {
  step: Step;
  output: string;
  ok: boolean;
  seconds: string;
}

const bin = join(root, 'node_modules', '.bin');
const colors = `--colors=${process.stdout.isTTY ? 'force' : 'off'}`;

const steps: Step[] = [
  {
    title: 'format and lint',
    command: 'biome',
    args: ['ci', '--error-on-warnings', '--max-diagnostics=100', colors, '.'],
  },
  { title: 'types', command: 'tsc', args: ['-p', '.'] },
  { title: 'layers', command: 'node', args: ['--conditions=toolyard-source', 'scripts/check-layers.ts'] },
  { title: 'docs', command: 'node', args: ['--conditions=toolyard-source', 'scripts/check-docs.ts'] },
];
const shape: Step = {
  title: 'shape',
  command: 'node',
  args: ['--conditions=toolyard-source', 'scripts/shape.ts'],
};

function run(step: Step): Promise<Result> {
  const startedAt = performance.now();
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  const child = spawn(step.command, step.args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    const finish = (ok: boolean, reason = '') => {
      const output = `${Buffer.concat(chunks).toString()}${reason}`.trimEnd();
      resolve({ step, output, ok, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) });
    };
    child.on('error', (error) => finish(false, error.message));
    child.on('close', (code) => finish(code === 0));
  });
}

function print({ step, output, ok, seconds }: Result): void {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${step.title} (${seconds} s)`);
  if (!ok) console.log(`${output}\n`);
}

const running = steps.map(run);
const failed: string[] = [];
for (const pending of running) {
  const result = await pending;
  print(result);
  if (!result.ok) failed.push(result.step.title);
}
console.log((await run(shape)).output);
if (failed.length > 0) {
  console.log(`check failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
