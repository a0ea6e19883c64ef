// A call's input on one line: what matters most of it, never more than a line's worth. Pure.
import { toVisibleLine } from '@toolyard/sdk';
import { toFlatJson } from '../text/flat-json.ts';

const maxLength = 160;
/** Fields that say by themselves what a call is about. */
const telling = ['command', 'path', 'file_path', 'url', 'query', 'pattern', 'prompt', 'name'];

export function toInputBrief(input: unknown): string {
  if (typeof input !== 'object' || input === null)
    return input === undefined ? '' : toLine(toFlatJson(input, maxLength));
  const fields = Object.entries(input);
  if (fields.length === 0) return '';
  const found = telling.flatMap((name) => fields.filter(([field]) => field === name))[0]?.[1];
  return toLine(typeof found === 'string' ? found : toFlatJson(input, maxLength));
}

/** The newest of an input that is being written. */
export function toWritingBrief(text: string): string {
  return toLine(text.slice(-maxLength));
}

function toLine(text: string): string {
  return toVisibleLine(text.slice(0, maxLength));
}
