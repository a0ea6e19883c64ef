// The document by the rules of OpenAPI 3.1 and of JSON Schema 2020-12, as far as it uses them: nothing unknown, nothing
// that refers to nowhere, and every operation with its input, its answers, its failures and who may.
import { type AnyRoute, routes } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toOpenApi } from '../../src/http/openapi.ts';

const document = toOpenApi('1.2.3');

const types = z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const count = z.int().nonnegative();
const Schema: z.ZodType = z.lazy(() =>
  z
    .strictObject({
      $ref: z.string().regex(/^#\/components\/schemas\/[\w.-]+$/),
      type: z.union([types, z.array(types).min(1)]),
      const: z.unknown(),
      enum: z.array(z.unknown()).min(1),
      default: z.unknown(),
      title: z.string(),
      description: z.string(),
      anyOf: z.array(Schema).min(1),
      oneOf: z.array(Schema).min(1),
      allOf: z.array(Schema).min(1),
      not: Schema,
      properties: z.record(z.string(), Schema),
      required: z.array(z.string()),
      additionalProperties: z.union([z.boolean(), Schema]),
      propertyNames: Schema,
      items: Schema,
      prefixItems: z.array(Schema),
      minItems: count,
      maxItems: count,
      uniqueItems: z.boolean(),
      minLength: count,
      maxLength: count,
      pattern: z.string().refine(isPattern),
      format: z.string(),
      minimum: z.number(),
      maximum: z.number(),
      exclusiveMinimum: z.number(),
      exclusiveMaximum: z.number(),
      contentMediaType: z.string(),
      contentEncoding: z.string(),
      contentSchema: Schema,
    })
    .partial(),
);

/** As JSON Schema has them: expressions of ECMA-262, with the flag for Unicode. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const content = z.record(z.string().regex(/^[a-z]+\/[a-z.+-]+$/), z.strictObject({ schema: Schema }));
const Reference = z.strictObject({
  $ref: z.string().regex(/^#\/components\/responses\/\w+$/),
  description: z.string().min(1),
});
const Response = z.strictObject({
  description: z.string().min(1),
  content: content.optional(),
  'x-frames': z.strictObject({ client: Schema, server: Schema }).optional(),
});
const Parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: Schema,
});
const Operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z]*$/),
  summary: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(Parameter).min(1).optional(),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string().regex(/^([1-5]\d\d|default)$/), z.union([Reference, Response])),
});
const Scheme = z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer') });
const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d$/),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.string() })).min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(
    z.string().startsWith('/'),
    z.strictObject({ get: Operation, post: Operation, patch: Operation, delete: Operation }).partial(),
  ),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), Scheme),
    responses: z.record(z.string(), Response),
    schemas: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), Schema),
  }),
});

const parsed = Document.parse(document);
const operations = Object.entries(parsed.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation ? [{ path, method, ...operation }] : [],
  ),
);
const routeOf = (name: string) => Object.entries<AnyRoute>(routes).find(([each]) => each === name)?.[1];

describe('the OpenAPI document', () => {
  it('is one by its rules', () => {
    expect(Document.safeParse(document).error?.message).toBeUndefined();
    const broken = structuredClone(document);
    Object(Object.values(Object(broken.paths))[0]).get.sumary = 'x';
    expect(Document.safeParse(broken).success).toBe(false);
  });

  it('names each operation once, and each parameter of a path where the path has it', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, parameters = [] } of operations) {
      const inPath = parameters.filter((each) => each.in === 'path');
      expect(inPath.map(({ name }) => name)).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      );
      expect(inPath.every(({ required }) => required)).toBe(true);
      const keys = parameters.map((each) => `${each.in} ${each.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('refers only to what it has', () => {
    const { schemas, responses } = parsed.components;
    const targets = { schemas, responses };
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [whole, kind, name = ''] of references) {
      const known: object = kind === 'schemas' ? targets.schemas : targets.responses;
      expect(Object.keys(known), whole).toContain(name);
    }
  });

  it('has for each operation its good answer with a schema, its failures, and who may', () => {
    for (const { operationId, responses, security, requestBody } of operations) {
      const route = routeOf(operationId) ?? expect.unreachable(operationId);
      const { [route.status]: good, default: other, ...rest } = responses;
      expect(good, operationId).toBeDefined();
      if (route.status !== 101) expect(Object.keys(Object(good).content), operationId).not.toEqual([]);
      expect(other, operationId).toEqual({
        $ref: '#/components/responses/Error',
        description: expect.any(String),
      });
      const failures = Object.keys(rest).filter((status) => status >= '400');
      expect(failures, operationId).toEqual(expect.arrayContaining(['400', '403']));
      expect(failures.includes('401'), operationId).toBe(!route.public);
      expect(security, operationId).toEqual(route.public ? [] : undefined);
      const takesBody = !(route.body instanceof z.ZodUndefined);
      expect(requestBody !== undefined, operationId).toBe(takesBody);
    }
    for (const wanted of parsed.security)
      expect(Object.keys(parsed.components.securitySchemes)).toEqual(
        expect.arrayContaining(Object.keys(wanted)),
      );
  });

  it('says of a message that it answers 202, or the turn with 200', () => {
    const message = operations.find(({ operationId }) => operationId === 'sendMessage');
    const { 200: turn, 202: taken } = Object(message?.responses);
    expect(Object.keys(turn.content)).toEqual(['text/event-stream']);
    expect(Object.keys(taken.content)).toEqual(['application/json']);
  });
});
