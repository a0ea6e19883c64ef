// The files of the operator's log on a real disk: for their owner's eyes only, never through a link.
import { constants } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** What a log needs of a disk; tests have slow, full and read-only ones. */
export interface LogDisk {
  /** Opens or makes a file to append to. */
  open(name: string): Promise<OpenLog>;
  /** Names in the folder of the log. */
  list(): Promise<string[]>;
  /** Takes the place of `to`. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface OpenLog {
  /** Bytes when it was opened. */
  size: number;
  /** Its last line was cut off: whoever wrote it was killed. */
  torn: boolean;
  /** Appends some of the bytes and says how many. */
  write(bytes: Uint8Array): Promise<number>;
  truncate(size: number): Promise<void>;
  /** It is still the file of that name; somebody may have taken it away. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

export function createLogDisk(folder: string): LogDisk {
  return {
    async open(name) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
      const path = join(folder, name);
      const file = await open(path, flags, 0o600);
      try {
        return await toOpenLog(file, path);
      } catch (thrown) {
        await file.close();
        throw thrown;
      }
    },
    list: () => readdir(folder).catch(() => []),
    rename: (from, to) => rename(join(folder, from), join(folder, to)),
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

async function toOpenLog(file: FileHandle, path: string): Promise<OpenLog> {
  const { size, mode, ino } = await file.stat();
  if ((mode & 0o077) !== 0) await file.chmod(0o600);
  return {
    size,
    torn: size > 0 && !(await endsLine(file, size)),
    write: async (bytes) => (await file.write(bytes)).bytesWritten,
    truncate: (length) => file.truncate(length),
    isThere: async () => (await stat(path).catch(() => undefined))?.ino === ino,
    close: () => file.close(),
  };
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] === 0x0a;
}
