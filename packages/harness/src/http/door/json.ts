// Parses JSON from outside: bounded depth, errors in words, no way to reach a prototype.
import { ToolyardError } from '@toolyard/sdk';

const maxDepth = 64;

/** `what` is the text to whoever sent it. */
export function parseJson(text: string, what = 'body'): unknown {
  if (depthOf(text) > maxDepth) {
    throw new ToolyardError('invalid_json', `The ${what} is nested deeper than ${maxDepth} levels.`);
  }
  try {
    return JSON.parse(text, refusePrototype);
  } catch (thrown) {
    if (thrown instanceof ToolyardError) throw thrown;
    throw new ToolyardError(
      'invalid_json',
      `The ${what} is not JSON: ${(thrown as SyntaxError).message.slice(0, 200)}.`,
    );
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new ToolyardError('invalid_json', 'The key "__proto__" is not accepted.');
  return value;
}

/** The deepest nesting of brackets outside strings, without parsing. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}
