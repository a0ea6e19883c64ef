// Logs of the operator in a folder of a test, and a disk that can be full or slow.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogDisk, type LogDisk, type OpenLog } from '../../../src/core/operator-log/log-disk.ts';
import { createLogFile, type LogFileOptions } from '../../../src/core/operator-log/log-file.ts';
import { memoryDirectory } from '../../support/yard.ts';

export const toDropNote = (count: number) => `dropped ${count}\n`;
export const line = (number: number) => `${String(number).padStart(9, '0')}\n`;
export const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => line(from + index));

export async function openFolder(options: Partial<LogFileOptions> = {}) {
  const folder = join(await memoryDirectory(), 'logs');
  const open = (more: Partial<LogFileOptions> = {}) =>
    createLogFile({ disk: createLogDisk(folder), toDropNote, ...options, ...more });
  const read = (name = 'toolyard.log') => readFile(join(folder, name), 'utf8');
  /** All there is, oldest first. */
  const readAll = async () => {
    const toNumber = (name: string) => Number(/\d/.exec(name)?.[0] ?? 0);
    const names = (await readdir(folder)).sort((one, other) => toNumber(other) - toNumber(one));
    return (await Promise.all(names.map((name) => read(name)))).join('');
  };
  return { folder, open, read, readAll };
}

/** A real disk that can be made to take `room` bytes and no more, or to wait. */
export function createBadDisk(folder: string) {
  const real = createLogDisk(folder);
  const state = { room: Number.POSITIVE_INFINITY, gate: Promise.resolve(), tries: 0 };
  const wrap = (open: OpenLog): OpenLog => ({
    ...open,
    async write(bytes) {
      await state.gate;
      state.tries += 1;
      if (state.room <= 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const written = await open.write(bytes.subarray(0, state.room));
      state.room -= written;
      return written;
    },
  });
  const disk: LogDisk = { ...real, open: async (name) => wrap(await real.open(name)) };
  return { disk, state };
}
