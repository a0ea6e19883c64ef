// The memory that the operator's log takes, in a process of its own, whose memory nobody else has used before.
import { expect, it } from 'vitest';
import { processorMs } from '../../support/processor-time.ts';
import { createBadDisk, openFolder, toDropNote } from './log-folder.ts';

it('a disk that is slow holds nobody up and fills no memory', async () => {
  const { folder, open, read } = await openFolder();
  const { disk, state } = createBadDisk(folder);
  const slow = Promise.withResolvers<void>();
  state.gate = slow.promise;
  const log = open({ disk });
  const before = process.memoryUsage().rss;
  const started = processorMs();
  const long = `${'x'.repeat(9_999)}\n`;
  for (let count = 0; count < 20_000; count++) log.write(long);
  expect(processorMs() - started).toBeLessThan(2_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  slow.resolve();
  await log.close();
  const kept = Math.floor((1024 * 1024) / 10_000);
  expect(await read()).toBe(long.repeat(kept) + toDropNote(20_000 - kept));
});
