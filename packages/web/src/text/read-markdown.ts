// What a model wrote, made readable and cut into blocks. Pure.
import { toReadable } from '@toolyard/sdk';
import { type Blocks, toBlocks } from './blocks.ts';

/** Half a character, or half a line end, may be all that has come so far. */
const half = /[\ud800-\udbff\r]$/;

/** `before` is what an earlier, shorter text was read as. */
export function readMarkdown(text: string, before: Blocks): Blocks {
  return toBlocks(toReadable(text.replace(half, '')), before);
}
