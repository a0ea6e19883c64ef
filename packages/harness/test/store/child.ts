// A store owner in a process of its own, to be paused and killed. Speaks in lines: `node child.ts <path> <role> …`.
import { createInterface } from 'node:readline';
import { ToolyardError } from '@toolyard/sdk';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { type Migration, migrations } from '../../src/store/migrations/list.ts';
import { openStore } from '../../src/store/open.ts';
import { addSession, append, host } from './rows.ts';

const [path = '', role = '', point = '', times = '1'] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const codeOf = (thrown: unknown) => (thrown instanceof ToolyardError ? thrown.code : String(thrown));

/** Dies like a machine that loses power, when `point` is reached for the last of `times`. */
let left = Number(times);
const onCrashPoint = (reached: CrashPoint) => {
  if (reached !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};

const later: Migration = {
  version: migrations.length + 1,
  sql: "CREATE TABLE later (x TEXT); INSERT INTO later VALUES ('x')",
};
const options = { path, clock: { now: () => Date.now() }, owner: { pid: process.pid, host }, onCrashPoint };
const internals = role === 'upgrade' ? { migrations: [...migrations, later] } : {};

try {
  const store = await openStore(options, internals);
  say('open');
  if (role === 'write') {
    if (!(await store.reads.session('ses_0000000000000000000001'))) await addSession(store);
    for (let number = 1; ; number += 1) {
      const texts = ['a', 'b', 'c'].map((part) => `${process.pid} ${number}${part}`);
      await Promise.all(texts.map((text) => append(store, text).then(() => say(text))));
    }
  }
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'close') break;
    await append(store, line).then(
      () => say('stored'),
      (thrown) => say(codeOf(thrown)),
    );
  }
  await store.close();
  process.stdin.destroy();
} catch (thrown) {
  say(codeOf(thrown));
}
