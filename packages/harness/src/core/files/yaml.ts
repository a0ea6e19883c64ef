// Reads a YAML file that a person wrote into a value that a schema vouches for. Every refusal says file, line,
// column and what to write instead. Must stay fast and harmless on hostile files: see yaml-bounds.ts.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ToolyardError } from '@toolyard/sdk';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { z } from 'zod';
import {
  findHostileNode,
  findHostileText,
  maxBytes,
  type Problem,
  tooDeep,
  tooLarge,
} from './yaml-bounds.ts';
import { toProblems } from './yaml-problems.ts';

const maxProblems = 5;

/** Throws `invalid_config`, one line `file:line:column: what` per problem. `file` is only named, never opened. */
export function parseYaml<T>(schema: z.ZodType<T>, text: string, file: string): T {
  const lines = new LineCounter();
  const refuse = (problems: Problem[]): never => {
    throw refusal(problems, file, lines);
  };

  const hostileText = findHostileText(text, lines);
  if (hostileText) return refuse([hostileText]);
  // Unique keys are checked with the other bounds: the library's own check takes minutes on a large map.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, stringKeys: true });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) return refuse(broken.map(toProblem));
  const hostileNode = findHostileNode(document.contents);
  if (hostileNode) return refuse([hostileNode]);

  // An empty file means "nothing said", which a schema with defaults accepts.
  const parsed = schema.safeParse(document.toJS() ?? undefined);
  return parsed.success ? parsed.data : refuse(toProblems(parsed.error, schema, document));
}

function toProblem({ code, message, pos }: YAMLError): Problem {
  const offset = pos[0];
  if (code === 'MULTIPLE_DOCS')
    return { offset, message: 'a second document starts here; keep one in a file' };
  if (code === 'NON_STRING_KEY') return { offset, message: 'a key must be a plain word' };
  return { offset, message: message.startsWith('Maximum call stack') ? tooDeep : message };
}

/** Reads and parses one file. Throws `invalid_config` also when it cannot be read; `cause` then has the code. */
export async function readYaml<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return parseYaml(schema, await readText(path), path);
}

/** The text of one file, if it is one and not too large. Throws `invalid_config`. */
export async function readText(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a FIFO in the file's place would hold this open for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) throw new Error('it is not a regular file');
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxBytes) throw new Error(tooLarge);
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolyardError('invalid_config', `${path}: cannot be read: ${reason}`, {
      data: { file: path },
      cause,
    });
  } finally {
    await file?.close();
  }
}

function refusal(problems: Problem[], file: string, lines: LineCounter): ToolyardError {
  const sorted = problems.toSorted((a, b) => a.offset - b.offset);
  const placed = sorted.slice(0, maxProblems).map(({ offset, message }) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), message };
  });
  const messages = placed.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const more = sorted.length - placed.length;
  if (more > 0) messages.push(`${file}: and ${more} more`);
  return new ToolyardError('invalid_config', messages.join('\n'), { data: { file, problems: placed } });
}
