// Reads what a client sends over its socket. Whatever it sends, the answer is an error at worst.
import { ClientFrame, largestFrame, Ref, ToolyardError } from '@toolyard/sdk';
import { parseJson } from '../door/json.ts';
import { parse } from '../door/mount.ts';

/** A frame, or what is wrong with it; with the client's name for it wherever that can be told. */
export type Received =
  | { frame: ClientFrame; error?: undefined }
  | { frame?: undefined; error: unknown; ref?: Ref };

export function readFrame(data: Buffer, isBinary: boolean): Received {
  if (isBinary) return { error: new ToolyardError('invalid_json', 'A frame is JSON as text, not binary.') };
  if (data.length > largestFrame) return { error: tooLarge(), ...peekRef(data) };
  let value: unknown;
  try {
    value = parseJson(data.toString(), 'frame');
  } catch (error) {
    return { error, ...peekRef(data) };
  }
  try {
    return { frame: parse(ClientFrame, value, 'frame') };
  } catch (error) {
    return { error, ...refOf(value) };
  }
}

const ref = '"ref"\\s*:\\s*("[^"\\\\]{0,100}"|-?\\d{1,15})\\s*';
const refAtStart = new RegExp(`^\\s*\\{\\s*(?:"type"\\s*:\\s*"\\w*"\\s*,\\s*)?${ref}[,}]`);
const refAtEnd = new RegExp(`,\\s*${ref}\\}\\s*$`);

/** In a frame that is not read whole it is found at the beginning, right behind `type`, or at the end. */
function peekRef(data: Buffer): { ref?: Ref } {
  const [start, end] = [data.toString('utf8', 0, 400), data.subarray(-400).toString()];
  const found = refAtStart.exec(start) ?? refAtEnd.exec(end);
  return found?.[1] === undefined ? {} : { ref: JSON.parse(found[1]) };
}

function refOf(value: unknown): { ref?: Ref } {
  if (typeof value !== 'object' || value === null || !('ref' in value)) return {};
  const { data: ref } = Ref.safeParse(value.ref);
  return ref === undefined ? {} : { ref };
}

function tooLarge(): ToolyardError {
  const hint = 'Send a larger message to POST /api/sessions/:id/messages.';
  return new ToolyardError('payload_too_large', `A frame may hold ${largestFrame / 1024 / 1024} MB. ${hint}`);
}
