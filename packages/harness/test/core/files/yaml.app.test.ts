import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, ToolyardError } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseYaml, readYaml } from '../../../src/core/files/yaml.ts';
import { processorMs } from '../../support/processor-time.ts';

const Step = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ call: z.strictObject({ tool: z.string() }) }),
]);
const Plan = z.strictObject({
  name: z.string(),
  speed: z.enum(['slow', 'steady', 'fast']).optional(),
  limits: z.strictObject({ maxSteps: z.int().min(1) }).optional(),
  steps: z.array(Step).optional(),
  labels: z.record(z.string(), z.strictObject({ colour: z.string() })).optional(),
});

function refusal(text: string, schema: z.ZodType = Plan): string {
  try {
    parseYaml(schema, text, 'plan.yaml');
  } catch (error) {
    if (error instanceof ToolyardError && error.code === 'invalid_config') return error.message;
    throw error;
  }
  throw new Error('the text was accepted');
}

test('a correct file becomes the value its schema describes', () => {
  const text =
    'name: morning # a comment\nspeed: fast\nsteps:\n  - say: "hi: there"\n  - call: { tool: ping }\n';
  expect(parseYaml(Plan, text, 'plan.yaml')).toEqual({
    name: 'morning',
    speed: 'fast',
    steps: [{ say: 'hi: there' }, { call: { tool: 'ping' } }],
  });
});

test('an empty file and a file of comments take every default', () => {
  const defaults = Config.parse({});
  expect([parseYaml(Config, '', 'c.yaml'), parseYaml(Config, '# nothing yet\n', 'c.yaml')]).toEqual([
    defaults,
    defaults,
  ]);
});

describe('a refusal names file, line, column and what was meant', () => {
  test.each([
    ['an unknown key', 'name: a\nsped: fast\n', 'plan.yaml:2:1: unknown key "sped". Did you mean "speed"?'],
    [
      'an unknown key unlike the known ones',
      'name: a\nbanana: 1\n',
      'plan.yaml:2:1: unknown key "banana". Known keys: name, speed, limits, steps, labels.',
    ],
    [
      'an unknown key deep in a map',
      'name: a\nlimits:\n  maxstep: 3\n  maxSteps: 1\n',
      'plan.yaml:3:3: limits: unknown key "maxstep". Did you mean "maxSteps"?',
    ],
    [
      'an unknown key below a free name',
      'name: a\nlabels:\n  red:\n    color: f00\n    colour: f00\n',
      'plan.yaml:4:5: labels.red: unknown key "color". Did you mean "colour"?',
    ],
    [
      'an unknown key in one alternative of a list',
      'name: a\nsteps:\n  - say: x\n  - call: { tool: ping, tol: x }\n',
      'plan.yaml:4:25: steps[1].call: unknown key "tol". Did you mean "tool"?',
    ],
    [
      'a wrong type in one alternative of a list',
      'name: a\nsteps:\n  - call: { tool: 5 }\n',
      'plan.yaml:3:19: steps[0].call.tool: expected string, received number.',
    ],
    [
      'a wrong type',
      'name: a\nlimits: { maxSteps: many }\n',
      'plan.yaml:2:21: limits.maxSteps: expected number, received string.',
    ],
    [
      'a value out of range',
      'name: a\nlimits: { maxSteps: 0 }\n',
      'plan.yaml:2:21: limits.maxSteps: too small: expected number to be >=1.',
    ],
    [
      'a word outside the choices',
      'name: a\nspeed: stedy\n',
      'plan.yaml:2:8: speed: expected one of "slow"|"steady"|"fast". Did you mean "steady"?',
    ],
    ['a missing key', 'speed: fast\n', 'plan.yaml:1:1: name: expected string, received undefined.'],
    ['a list where a map belongs', '- a\n', 'plan.yaml:1:1: expected object, received array.'],
    [
      'broken syntax',
      'name: a\nsteps: [1, 2\nspeed: fast\n',
      'plan.yaml:3:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'a tab for indentation',
      'name: a\nlimits:\n\tmaxSteps: 1\n',
      'plan.yaml:3:1: Tabs are not allowed as indentation',
    ],
    [
      'a key twice',
      'name: a\nspeed: fast\nname: b\n',
      'plan.yaml:3:1: the key "name" occurs twice; remove one',
    ],
    [
      'two documents',
      'name: a\n---\nname: b\n',
      'plan.yaml:2:1: a second document starts here; keep one in a file',
    ],
    ['a tag', 'name: !!js/function "x"\n', 'plan.yaml:1:7: Unresolved tag: tag:yaml.org,2002:js/function'],
    ['a list as a key', '? [a]\n: 1\n', 'plan.yaml:1:3: a key must be a plain word'],
  ])('%s', (_, text, expected) => {
    expect(refusal(text).split('\n')[0]).toBe(expected);
  });

  test('and lists several problems in the order of the file, at most five', () => {
    expect(
      refusal('nam: a\nspeed: 3\nb: 1\nc: 1\nd: 1\nf: 1\n')
        .split('\n')
        .map((line) => line.slice(0, 15)),
    ).toEqual([
      'plan.yaml:1:1: ',
      'plan.yaml:1:1: ',
      'plan.yaml:2:8: ',
      'plan.yaml:3:1: ',
      'plan.yaml:4:1: ',
      'plan.yaml: and ',
    ]);
  });

  test('and carries the places as data', () => {
    const attempt = () => parseYaml(Plan, 'name: a\nsped: 1\n', 'plan.yaml');
    const problem = { line: 2, column: 1, message: 'unknown key "sped". Did you mean "speed"?' };
    expect(attempt).toThrow(expect.objectContaining({ data: { file: 'plan.yaml', problems: [problem] } }));
  });

  test('and prints control characters of the file escaped and shortened', () => {
    const said = refusal(`name: a\n"\\e]0;evil\\a${'x'.repeat(500)}": 1\n`);
    expect([said.includes('\u001b'), said.includes('\\u001b'), said.length < 200]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('C2 C3: a hostile file is refused in well under a second', () => {
  const level = (depth: number) => `${' '.repeat(depth)}a:`;
  const bomb = Array.from(
    { length: 10 },
    (_, i) =>
      `k${i}: &k${i} [${
        i
          ? Array(9)
              .fill(`*k${i - 1}`)
              .join(',')
          : 'x'
      }]`,
  );
  test.each([
    ['10 MB', 'a'.repeat(10_000_000), '1:1: larger than 1048576 bytes'],
    ['1 MB of opening brackets', '['.repeat(1_000_000), '1:101: nested deeper than 100 levels'],
    ['10,000 nested flow maps', '{a: '.repeat(10_000), 'nested deeper than 100 levels'],
    ['10,000 nested dashes', `${'- '.repeat(10_000)}x`, 'nested deeper than 100 levels'],
    ['10,000 nested question marks', `${'? '.repeat(10_000)}x`, 'nested deeper than 100 levels'],
    [
      '300 indented levels',
      Array.from({ length: 300 }, (_, i) => level(i)).join('\n'),
      'nested deeper than 100 levels',
    ],
    [
      '1,300 indented levels',
      Array.from({ length: 1_300 }, (_, i) => level(i)).join('\n'),
      'nested deeper than 100 levels',
    ],
    [
      'a map of 100,000 keys',
      Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n'),
      'too many parts',
    ],
    ['a million commas', `[${','.repeat(1_000_000)}]`, 'too many parts'],
    ['an alias bomb', bomb.join('\n'), '2:10: aliases are not supported'],
    ['an alias that contains itself', 'a: &a [*a]', '1:8: aliases are not supported'],
    ['__proto__ as a key', 'labels:\n  __proto__: { colour: red }\n', '2:3: "__proto__" is not allowed'],
    ['__proto__ in quotes', 'name: a\n"__proto__": { polluted: true }\n', '2:1: "__proto__" is not allowed'],
  ])('%s', (_, text, expected) => {
    const started = processorMs();
    expect(refusal(text, z.unknown())).toContain(expected);
    expect(processorMs() - started).toBeLessThan(800);
    expect({}).not.toHaveProperty('polluted');
  });

  test('while 100 levels, long words and brackets inside text are fine', () => {
    const text = `deep: ${'['.repeat(98)}${']'.repeat(98)}\nwords: |\n  ${'[{- '.repeat(5_000)}\nquoted: "${'['.repeat(500)}"\n`;
    expect(parseYaml(z.looseObject({ quoted: z.string() }), text, 'plan.yaml').quoted).toBe('['.repeat(500));
  });
});

describe('a file on disk', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolyard-yaml-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const attempt = async (name: string) => {
    const refused = await readYaml(Plan, join(folder, name)).catch((error: unknown) => error);
    return refused instanceof ToolyardError
      ? refused.message.replace(folder, '').replace(/'.*'/, '')
      : refused;
  };

  test('is read and parsed, with or without a byte order mark', async () => {
    await writeFile(join(folder, 'good.yaml'), '\ufeffname: a\n');
    expect(await attempt('good.yaml')).toEqual({ name: 'a' });
  });

  test('that is missing, a folder, too large, not text or a pipe is refused with the reason', async () => {
    await writeFile(join(folder, 'large.yaml'), `name: ${'é'.repeat(600_000)}\n`);
    await writeFile(join(folder, 'bytes.yaml'), Buffer.from([0x6e, 0x3a, 0x20, 0xff, 0xfe]));
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    expect(
      await Promise.all(['none.yaml', '.', 'large.yaml', 'bytes.yaml', 'pipe.yaml'].map(attempt)),
    ).toEqual([
      '/none.yaml: cannot be read: ENOENT: no such file or directory, open ',
      ': cannot be read: it is not a regular file',
      '/large.yaml: cannot be read: larger than 1048576 bytes; split it into smaller files',
      '/bytes.yaml: cannot be read: The encoded data was not valid for encoding utf-8',
      '/pipe.yaml: cannot be read: it is not a regular file',
    ]);
  });
});
