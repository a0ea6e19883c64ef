// Routes, schemas, docs/http.md and the OpenAPI document say the same.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnyRoute, ClientFrame, Event, routes, ServerFrame } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { root } from '../../../../scripts/source/repository.ts';
import { toOpenApi } from '../../src/http/openapi.ts';
import { converse, openTestYard } from '../support/yard.ts';

const guide = await readFile(join(root, 'docs/http.md'), 'utf8');
const table = Object.entries<AnyRoute>(routes);

/** The text under a heading of the guide, up to the next of its kind. */
function sectionOf(title: string): string {
  const found = guide.split(/^## /m).find((section) => section.startsWith(`${title}\n`));
  if (!found) throw new Error(`docs/http.md has no section "${title}"`);
  return found;
}

type Shape = {
  properties?: Record<string, Shape>;
  required?: string[];
  const?: string;
  oneOf?: Shape[];
  $ref?: string;
};

/** Names of an object's keys, optional ones with a question mark. */
function keysOf({ properties = {}, required = [] }: Shape, without: readonly string[] = []): string[] {
  return Object.keys(properties)
    .filter((key) => !without.includes(key))
    .map((key) => (required.includes(key) ? key : `${key}?`));
}

function shapeOf(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodUndefined) return {};
  // Of what JSON Schema can say, these schemas use no more than this.
  return z.toJSONSchema(schema, { io: 'input' }) as Shape;
}

/** `{a,b?}`, or nothing without keys. */
function toBraces(keys: readonly string[]): string {
  return keys.length === 0 ? '' : `{${keys.join(',')}}`;
}

/** What the cells of a section's tables say, row by row: the code spans of each cell. */
function rowsOf(section: string): string[][][] {
  const lines = sectionOf(section).match(/^\| .*\|$/gm) ?? [];
  return lines.map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)),
  );
}

describe('docs/http.md', () => {
  it('lists every route with its query and body, and no other', () => {
    const written = rowsOf('Routes')
      .flatMap(([cell = []]) => cell)
      .filter((code) => code !== '/mcp');
    const meant = table.map(([, { method, path, query, body }]) => {
      const keys = Object.keys(shapeOf(query).properties ?? {});
      const search = keys.length === 0 ? '' : `?${keys.map((key) => `${key}=`).join('&')}`;
      return `${method} ${path}${search} ${toBraces(keysOf(shapeOf(body)))}`.trim();
    });
    expect(written.sort()).toEqual(meant.sort());
  });

  it('lists every event with its data, and no other', () => {
    const written = rowsOf('Events').flatMap(([types = [], shapes = []]) =>
      types.map(
        (type, index) => `${type} ${shapes.filter((code) => code.startsWith('{'))[index] ?? shapes[0]}`,
      ),
    );
    const meant = (shapeOf(Event).oneOf ?? []).map(({ properties }) => {
      const data = properties?.data;
      return `${properties?.type?.const} ${data && toBraces(keysOf(data))}`;
    });
    expect(written.sort()).toEqual(meant.sort());
  });

  it('lists every frame of the socket with its keys, and no other', () => {
    const written = rowsOf('The socket').flatMap(([cell = []]) =>
      cell.filter((code) => code.startsWith('{')),
    );
    const meant = [ClientFrame, ServerFrame].flatMap((schema) =>
      (shapeOf(schema).oneOf ?? []).map((shape) => {
        const { type } = shape.properties ?? {};
        return `{${[`type:"${type?.const}"`, ...keysOf(shape, ['type', 'ref'])].join(',')}}`;
      }),
    );
    expect(written.sort()).toEqual(meant.sort());
  });
});

const document = toOpenApi('1.2.3');
const { paths, components } = z
  .looseObject({
    paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
    components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
  })
  .parse(document);

describe('the OpenAPI document', () => {
  it('has an operation for every route, at its path, with its parameters', () => {
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters }]) => {
        const inPath = z
          .array(z.looseObject({ name: z.string(), in: z.string() }))
          .parse(parameters ?? [])
          .filter((parameter) => parameter.in === 'path');
        return [operationId, method.toUpperCase(), path, inPath.map(({ name }) => name)];
      }),
    );
    const meant = table.map(([name, { method, path }]) => {
      const parameters = [...path.matchAll(/:(\w+)/g)].map(([, key]) => key);
      return [name, method, path.replace(/:(\w+)/g, '{$1}'), parameters];
    });
    expect(found.sort()).toEqual(meant.sort());
  });

  it('refers only to schemas that it has, and has none that nobody refers to', () => {
    const text = JSON.stringify(document);
    const named = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual(Object.keys(components.schemas).sort());
    expect(text).not.toContain('$defs');
  });

  it('is served to whoever has the token, and describes what the server really answers', async () => {
    const yard = await openTestYard();
    const client = yard.client();
    const served = await client.openApi();
    expect(served.paths).toEqual(document.paths);
    const { id } = await client.sessions.create();
    await converse(yard, id, 'hi');
    const answers: [string, unknown][] = [
      ['/api/health', await client.health()],
      ['/api/sessions', await client.sessions.list()],
      ['/api/sessions/{id}', await client.sessions.get(id)],
      ['/api/tools', await client.tools.list()],
      ['/api/roles', await client.roles.list()],
      ['/api/tokens', await client.tokens.list()],
      ['/api/audit/verify', await client.audit.verify()],
    ];
    for (const [path, answer] of answers) {
      const schema = Object(paths[path]?.get).responses[200].content['application/json'].schema;
      const whole = JSON.parse(
        JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
          '#/components/schemas/',
          '#/$defs/',
        ),
      );
      expect(z.fromJSONSchema(whole).safeParse(answer).error?.message, path).toBeUndefined();
      expect(z.fromJSONSchema(whole).safeParse({}).success, path).toBe(false);
    }
  });
});

it('every route of the table is answered by the server', async () => {
  const yard = await openTestYard();
  const unanswered: string[] = [];
  for (const [name, { method, path }] of table) {
    const url = `http://127.0.0.1${path.replace(/:\w+/g, 'x')}`;
    const headers = { authorization: `Bearer ${yard.token}` };
    const answer = await yard.fetch(new Request(url, { method, headers }));
    const isUnknown = answer.status === 404 && (await answer.clone().text()).includes('"not_found"');
    if (isUnknown || answer.status === 405) unanswered.push(name);
    await answer.body?.cancel();
  }
  expect(unanswered).toEqual([]);
});
