// Looks for damage inside SQLite's write-ahead log. SQLite itself stops reading at the first broken frame and
// silently drops every later commit; a power cut can break only the last one, so anything more is damage.

const headerBytes = 32;
const frameHeaderBytes = 24;
const littleEndianMagic = 0x377f0682;
const bigEndianMagic = 0x377f0683;

type Sum = [number, number];

/** The number (from 1) of a broken frame with whole commits behind it, or nothing. */
export function findLostFrame(wal: Uint8Array, pageSize: number): number | undefined {
  const view = new DataView(wal.buffer, wal.byteOffset, wal.byteLength);
  const frameBytes = frameHeaderBytes + pageSize;
  const frames = Math.floor((wal.byteLength - headerBytes) / frameBytes);
  if (frames <= 0) return undefined;
  const at = (frame: number) => headerBytes + frame * frameBytes;
  const whole = countWholeFrames(view, frames, frameBytes);
  const salt = whole === undefined ? undefined : saltAt(view, 16);
  let lastCommit: string | undefined;
  for (let frame = whole ?? 0; frame < frames; frame += 1) {
    const found = saltAt(view, at(frame) + 8);
    // Frames of an older round of the log carry another salt and were moved into the file long ago.
    if (salt !== undefined && found !== salt) continue;
    if (lastCommit === found) return (whole ?? 0) + 1;
    if (view.getUint32(at(frame) + 4) !== 0) lastCommit = found;
  }
  return undefined;
}

/** How many frames from the start SQLite will believe, or nothing when the header itself is broken. */
function countWholeFrames(view: DataView, frames: number, frameBytes: number): number | undefined {
  const magic = view.getUint32(0);
  if (magic !== littleEndianMagic && magic !== bigEndianMagic) return undefined;
  const little = magic === littleEndianMagic;
  let sum = addTo([0, 0], view, 0, 24, little);
  if (!isSum(sum, view, 24)) return undefined;
  const salt = saltAt(view, 16);
  for (let frame = 0; frame < frames; frame += 1) {
    const start = headerBytes + frame * frameBytes;
    sum = addTo(sum, view, start, 8, little);
    sum = addTo(sum, view, start + frameHeaderBytes, frameBytes - frameHeaderBytes, little);
    if (saltAt(view, start + 8) !== salt || !isSum(sum, view, start + 16)) return frame;
  }
  return frames;
}

function addTo([first, second]: Sum, view: DataView, start: number, length: number, little: boolean): Sum {
  let [low, high] = [first, second];
  for (let offset = start; offset < start + length; offset += 8) {
    low = (low + view.getUint32(offset, little) + high) >>> 0;
    high = (high + view.getUint32(offset + 4, little) + low) >>> 0;
  }
  return [low, high];
}

function isSum([first, second]: Sum, view: DataView, offset: number): boolean {
  return view.getUint32(offset) === first && view.getUint32(offset + 4) === second;
}

function saltAt(view: DataView, offset: number): string {
  return `${view.getUint32(offset)} ${view.getUint32(offset + 4)}`;
}
