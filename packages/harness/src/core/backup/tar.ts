// The headers of a tar archive (POSIX ustar, with pax records for what does not fit), so that any tar can look into a
// backup. Pure: bytes in, bytes out. Reads no more kinds of entries than it writes.

export interface TarEntry {
  name: string;
  size: number;
  /** Seconds since the epoch. */
  modifiedAt: number;
}

/** What a block says: an entry, the pax records of the next one, or that nothing follows. */
export type TarBlock =
  | { kind: 'file' | 'pax'; entry: TarEntry }
  | { kind: 'end' }
  | { kind: 'wrong'; reason: string; name: string };

export const blockBytes = 512;
const maxOctalSize = 8 ** 11 - 1;
const maxNameLength = 100;

/** One header, or two where the first carries a long name or a large size. */
export function toTarHeader(entry: TarEntry): Buffer {
  const records = [
    ...(Buffer.byteLength(entry.name) > maxNameLength ? [`path=${entry.name}`] : []),
    ...(entry.size > maxOctalSize ? [`size=${entry.size}`] : []),
  ];
  if (records.length === 0) return toBlock(entry, '0');
  const pax = Buffer.from(records.map(toRecord).join(''));
  return Buffer.concat([
    toBlock({ name: 'pax', size: pax.length, modifiedAt: entry.modifiedAt }, 'x'),
    pad(pax),
    toBlock(entry, '0'),
  ]);
}

export function paddingOf(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

export const tarEnd = Buffer.alloc(2 * blockBytes);

export function parseTarBlock(block: Buffer): TarBlock {
  if (block.every((byte) => byte === 0)) return { kind: 'end' };
  const name = toText(block, 0, maxNameLength);
  if (readOctal(block, 148, 8) !== checksumOf(block)) return { kind: 'wrong', reason: 'checksum', name };
  const type = String.fromCharCode(block[156] ?? 0);
  const entry = { name, size: readOctal(block, 124, 12), modifiedAt: readOctal(block, 136, 12) };
  if (type !== '0' && type !== 'x') return { kind: 'wrong', reason: 'type', name };
  if (Object.values(entry).some(Number.isNaN)) return { kind: 'wrong', reason: 'number', name };
  return { kind: type === 'x' ? 'pax' : 'file', entry };
}

/** What the records before an entry say of it. Nothing when they are no records of ours. */
export function parsePax(text: Buffer): Partial<TarEntry> | undefined {
  const found: Partial<TarEntry> = {};
  for (let at = 0; at < text.length; ) {
    const length = Number(/^\d{1,7}(?= )/.exec(text.toString('latin1', at, at + 8))?.[0]);
    const record = text.toString('utf8', at, at + length);
    const [, key, value = ''] = /^\d+ (path|size)=(.*)\n$/su.exec(record) ?? [];
    if (!key) return undefined;
    if (key === 'path') found.name = value;
    else found.size = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    at += length;
  }
  return found;
}

function toBlock({ name, size, modifiedAt }: TarEntry, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(blockBytes);
  Buffer.from(name).copy(block, 0, 0, maxNameLength);
  block.write('0000600\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${toOctal(Math.min(size, maxOctalSize), 11)} `, 124);
  block.write(`${toOctal(modifiedAt, 11)} `, 136);
  block.write(`        ${type}`, 148);
  block.write('ustar\u000000', 257);
  block.write(`${toOctal(checksumOf(block), 6)}\0 `, 148);
  return block;
}

function toOctal(value: number, digits: number): string {
  return Math.max(0, Math.floor(value)).toString(8).padStart(digits, '0').slice(-digits);
}

function readOctal(block: Buffer, start: number, length: number): number {
  const digits = /^[0-7]+/.exec(block.toString('latin1', start, start + length))?.[0];
  return digits === undefined ? Number.NaN : Number.parseInt(digits, 8);
}

/** The sum of all bytes, its own eight counted as spaces. */
function checksumOf(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

/** A pax record begins with its own length, which counts its own digits. */
function toRecord(record: string): string {
  const bytes = Buffer.byteLength(record) + 2;
  const length = [1, 2, 3, 4]
    .map((digits) => bytes + digits)
    .find((total, index) => String(total).length === index + 1);
  return `${length} ${record}\n`;
}

function toText(block: Buffer, start: number, length: number): string {
  const end = block.indexOf(0, start);
  return block.toString('utf8', start, end < 0 ? start + length : Math.min(end, start + length));
}

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, paddingOf(bytes.length)]);
}
