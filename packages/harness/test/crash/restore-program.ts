// Restores a backup in a process of its own, which dies when a point is reached for the last of so many times:
// `node restore-program.ts FILE HOME POINT TIMES`. Prints how often each point was reached.
import { restoreHome } from '../../src/app/backup.ts';

const [file = '', home = '', point = '', times = '1'] = process.argv.slice(2);
const reached: Record<string, number> = {};

await restoreHome(
  { file, home, force: true },
  {
    onCrashPoint(each) {
      reached[each] = (reached[each] ?? 0) + 1;
      if (each === point && reached[each] === Number(times)) process.kill(process.pid, 'SIGKILL');
    },
  },
);
process.stdout.write(JSON.stringify(reached));
