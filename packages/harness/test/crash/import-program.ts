// Opens the session that a home's transcripts hold, and dies on the way: `node import-program.ts <order as JSON>`.
import { openYard } from '../../src/app.ts';
import type { CrashPoint } from '../../src/core/lib/ports.ts';
import { createOutsideEngine } from '../support/transcripts.ts';
import { workBeside } from '../support/work.ts';

export interface ImportOrder {
  home: string;
  claudeHome: string;
  /** Dies at this point, the so-many-th time it is reached. */
  killAt?: { point: CrashPoint; occurrence: number };
}

// The starter's own words, in its own type.
const { home, claudeHome, killAt } = JSON.parse(process.argv[2] ?? '{}') as ImportOrder;
let left = killAt?.occurrence ?? 0;

const yard = await openYard({
  home,
  env: { TOOLYARD_LOG: 'silent' },
  workspace: workBeside(home),
  engine: createOutsideEngine(claudeHome),
  onCrashPoint(point) {
    if (point !== killAt?.point) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
});
const { items } = await yard.client().sessions.list();
for (const { id } of items) await yard.client().sessions.get(id);
await yard.close();
