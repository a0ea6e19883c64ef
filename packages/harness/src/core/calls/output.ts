// Bounds what a model sees of a result: head, tail and how much was cut. The whole is kept, capped, in a file of the
// session's own, and read back by read_output.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, SessionId, ToolError } from '@toolyard/sdk';
import type { Logger } from '../lib/ports.ts';

export interface OutputOptions {
  /** Where whole outputs are kept. */
  folder: string;
  logger: Pick<Logger, 'warn'>;
}

export interface Bounded {
  text: string;
  truncated: boolean;
  outputId?: string;
}

export interface Outputs {
  bound(sessionId: string, text: string, bounds: Config['output']): Promise<Bounded>;
  /** A piece of a kept output of this session; for a person, who may not know it, of any. Throws a `ToolError` when there is none. */
  read(sessionId: string | undefined, outputId: string, offset: number, length: number): Promise<OutputPiece>;
  /** Gives another session outputs of this one, too. What is gone is passed over. */
  share(sessionId: string, outputIds: readonly string[], withId: string): Promise<void>;
  /** With the session. */
  remove(sessionId: string): Promise<void>;
  /** Removes what is left of sessions that are not there any more. */
  sweep(isThere: (sessionId: string) => Promise<boolean>): Promise<void>;
}

export interface OutputPiece {
  text: string;
  offset: number;
  totalBytes: number;
  nextOffset?: number;
}

export function createOutputs({ folder, logger }: OutputOptions): Outputs {
  /** The tool has run: a disk that refuses to keep all of its result must not lose what fits. */
  async function keep(sessionId: string, bytes: Uint8Array): Promise<string | undefined> {
    const outputId = `out_${randomBytes(12).toString('hex')}`;
    const path = join(folder, sessionId, outputId);
    try {
      await mkdir(join(folder, sessionId), { recursive: true, mode: 0o700 });
      await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
      return outputId;
    } catch (cause) {
      logger.warn('could not store an output', { sessionId, bytes: bytes.length, cause });
      await rm(path, { force: true }).catch(() => {});
      return undefined;
    }
  }

  return {
    async bound(sessionId, text, { maxBytes, keepBytes }) {
      const bytes = Buffer.byteLength(text);
      if (bytes <= maxBytes) return { text, truncated: false };
      const whole = Buffer.from(text);
      const outputId = await keep(sessionId, whole.subarray(0, keepBytes));
      const half = Math.floor(maxBytes / 2);
      const head = toWholeText(whole.subarray(0, half));
      const tail = toWholeText(whole.subarray(bytes - half));
      const lost = bytes > keepBytes ? `, the first ${keepBytes} are kept` : '';
      const rest = outputId
        ? `${lost}; read more with read_output {"output_id":"${outputId}"}`
        : '; they were not stored, because the server could not write to its disk';
      const note = `[${bytes - 2 * half} of ${bytes} bytes cut${rest}]`;
      return { text: `${head}\n${note}\n${tail}`, truncated: true, ...(outputId && { outputId }) };
    },

    async share(sessionId, outputIds, withId) {
      if (outputIds.length === 0) return;
      await mkdir(join(folder, withId), { recursive: true, mode: 0o700 });
      for (const id of outputIds) {
        // The same file by another name: it is never written again, and gone when both sessions are.
        if (isOutputId(id)) await link(join(folder, sessionId, id), join(folder, withId, id)).catch(() => {});
      }
    },

    remove: (sessionId) => rm(join(folder, sessionId), { recursive: true, force: true }),

    async sweep(isThere) {
      for (const name of await readdir(folder).catch(() => [])) {
        const isOurs = SessionId.safeParse(name).success;
        if (isOurs && !(await isThere(name))) await rm(join(folder, name), { recursive: true, force: true });
      }
    },

    async read(sessionId, outputId, offset, length) {
      if (!isOutputId(outputId))
        throw new ToolError('This is not an output id. Use the id shown where the output was cut.');
      const owner = sessionId ?? (await findOwner(folder, outputId));
      const file = await open(join(folder, owner, outputId), 'r').catch(() => {
        throw new ToolError(`This session has no output ${outputId}. It may have been deleted.`);
      });
      try {
        const { size } = await file.stat();
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        const piece = buffer.subarray(0, bytesRead);
        const used = offset + bytesRead < size ? wholeCharacters(piece) : bytesRead;
        const next = offset + used;
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece.subarray(0, used));
        return { text, offset, totalBytes: size, ...(next < size && { nextOffset: next }) };
      } finally {
        await file.close();
      }
    },
  };
}

function isOutputId(id: string): boolean {
  return /^out_[0-9a-f]{24}$/.test(id);
}

/** The session that keeps an output. */
async function findOwner(folder: string, outputId: string): Promise<string> {
  const sessions = await readdir(folder).catch(() => []);
  return sessions.find((session) => existsSync(join(folder, session, outputId))) ?? 'none';
}

/** How many bytes of a piece are whole characters; at least one byte, so that a reader always gets on. */
function wholeCharacters(piece: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, piece.length); back++) {
    const byte = piece[piece.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return needs > back && piece.length > back ? piece.length - back : piece.length;
  }
  return piece.length;
}

/** A cut may go through a character; half characters are left out. */
function toWholeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+|\ufffd+$/g, '');
}
