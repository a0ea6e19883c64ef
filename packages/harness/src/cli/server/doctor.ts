// `doctor`: checks this machine and home, and shows what is wrong and how to fix it.
import { diagnose, type Finding } from '../../app/doctor.ts';
import { resolveHome } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { type TextWriter, toLine } from '../terminal/terminal.ts';

export async function doctor({ env, flags, terminal: { out } }: Call): Promise<number> {
  const findings = await diagnose(resolveHome(env), env);
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (flags.has('json')) out.line(JSON.stringify({ items: findings }));
  else {
    for (const finding of findings) writeFinding(out, finding);
    out.line(failed === 0 ? '\nNo check failed.' : `\n${failed} of ${findings.length} checks failed.`);
  }
  return failed === 0 ? 0 : 1;
}

function writeFinding(writer: TextWriter, { name, state, message, fix }: Finding): void {
  const marks = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;
  const [style, sign] = marks[state];
  writer.line(`${writer.paint(style, sign)} ${name.padEnd(11)} ${toLine(message)}`);
  if (fix) writer.line(`  ${' '.repeat(11)} ${writer.paint('dim', `→ ${toLine(fix)}`)}`);
}
