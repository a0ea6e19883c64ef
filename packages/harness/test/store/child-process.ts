// A store owner in a process of its own, for tests of kills, leases and locks.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundled } from '../support/bundled.ts';

const script = await bundled(fileURLToPath(new URL('child.ts', import.meta.url)));

export interface Child {
  process: ChildProcess;
  pid: number;
  /** Lines it has said so far. */
  lines: string[];
  /** Its next line that nobody has taken yet, or `undefined` once it is gone. */
  next(): Promise<string | undefined>;
  tell(line: string): void;
  gone: Promise<unknown>;
}

/** A store owner in a process of its own (child.ts). It is gone when the test is. */
export function startChild(path: string, ...args: string[]): Child {
  const child = spawn(process.execPath, ['--conditions=toolyard-source', script, path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  let taken = 0;
  const next = async (): Promise<string | undefined> => {
    while (lines.length <= taken) {
      if (child.stdout.closed) return void (await gone);
      await Promise.race([once(reader, 'line'), gone]);
    }
    taken += 1;
    return lines[taken - 1];
  };
  return {
    process: child,
    pid: child.pid ?? 0,
    lines,
    next,
    tell: (line) => child.stdin.write(`${line}\n`),
    gone,
  };
}
