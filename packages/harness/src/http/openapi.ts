// The HTTP interface as an OpenAPI 3.1 document, made of the table of routes and its schemas. Nothing is written by hand
// but the few headers that no schema has.
import { isDeepStrictEqual } from 'node:util';
import * as sdk from '@toolyard/sdk';
import { type AnyRoute, ClientFrame, ErrorBody, Event, routes, ServerFrame } from '@toolyard/sdk';
import { z } from 'zod';
import type { HttpDeps } from './server/deps.ts';
import { type HttpRouter, mount } from './server/mount.ts';

type Json = Record<string, unknown>;

export function mountOpenApi(app: HttpRouter, { version }: HttpDeps): void {
  let document: Json | undefined;
  mount(app, routes.readOpenApi, () => {
    document ??= toOpenApi(version);
    return document;
  });
}

export function toOpenApi(version: string): Json {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<AnyRoute>(routes)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(name, route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Toolyard', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    // Relative to where this document is.
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: toErrorResponses(schemas.of),
      schemas: schemas.named,
    },
  };
}

function toOperation(name: string, route: AnyRoute, schemas: Schemas): Json {
  const parameters = [
    ...toParameters('path', route.params, schemas),
    ...toParameters('query', route.query, schemas),
    ...(headers[name] ?? (route.stream === 'always' ? [lastEventId] : [])),
  ];
  const hasBody = !(route.body instanceof z.ZodUndefined);
  return {
    operationId: name,
    summary: route.summary,
    ...(route.public && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: { 'application/json': { schema: schemas.of(route.body, 'input') } },
      },
    }),
    responses: { ...toAnswers(route, schemas), ...toErrors(route) },
  };
}

/** What comes as it happens always has status 200. */
function toAnswers(route: AnyRoute, schemas: Schemas): Json {
  const stream = { description: 'The turn as it happens', content: toStream(schemas) };
  return {
    ...(route.stream === 'accept' && { 200: stream }),
    [route.status]: toResponse(route, schemas),
  };
}

function toResponse(route: AnyRoute, schemas: Schemas): Json {
  if (route.status === 101) {
    const frames = { client: schemas.of(ClientFrame, 'input'), server: schemas.of(ServerFrame, 'output') };
    return { description: 'A WebSocket; each frame is one JSON text', 'x-frames': frames };
  }
  if (route.files) return { description: route.summary, content: toFiles(route.files) };
  const content =
    route.stream === 'always'
      ? toStream(schemas)
      : { 'application/json': { schema: schemas.of(route.response, 'output') } };
  return { description: route.summary, content };
}

function toStream(schemas: Schemas): Json {
  const schema = {
    type: 'string',
    contentMediaType: 'text/event-stream',
    description: 'Server-Sent Events; the data of each is an event',
    contentSchema: schemas.of(Event, 'output'),
  };
  return { 'text/event-stream': { schema } };
}

function toFiles(types: readonly string[]): Json {
  return Object.fromEntries(
    types.map((type) => [type, { schema: { type: type.endsWith('json') ? 'object' : 'string' } }]),
  );
}

/** The shape of every failure, as a component that operations refer to. */
function toErrorResponses(of: (schema: z.ZodType, io: 'output') => Json): Json {
  const content = { 'application/json': { schema: of(ErrorBody, 'output') } };
  return { Error: { description: 'What happened, and what to do', content } };
}

const error = (description: string): Json => ({ $ref: '#/components/responses/Error', description });

/** What may go wrong at this route before it does anything; whatever else may is the default. */
function toErrors(route: AnyRoute): Json {
  const hasParams = Object.keys(z.toJSONSchema(route.params).properties ?? {}).length > 0;
  const hasBody = !(route.body instanceof z.ZodUndefined);
  return {
    400: error('The request is not valid for this operation'),
    ...(!route.public && { 401: error('The token is missing or not valid') }),
    403: error('A foreign Host or Origin, or a token without access'),
    ...(hasParams && { 404: error('Not found') }),
    ...(hasBody && { 413: error('The body is too large'), 415: error('The body is not JSON') }),
    ...(route.status === 101 && { 426: error('The request does not ask for an upgrade') }),
    ...(!route.public && { 429: error('Too many attempts, readers or questions; try again later') }),
    default: error('Any other error'),
  };
}

function toParameters(where: 'path' | 'query', schema: z.ZodType, schemas: Schemas): Json[] {
  const { properties = {}, required = [] } = schemas.of(schema, 'input');
  const names: readonly string[] = Array.isArray(required) ? required : [];
  return Object.entries(Object(properties)).map(([name, each]) => ({
    name,
    in: where,
    required: where === 'path' || names.includes(name),
    schema: each,
  }));
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event already seen; overrides `after`',
  schema: { type: 'string' },
};

/** What a schema cannot say. */
const headers: Record<string, Json[]> = {
  sendMessage: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'A message that is sent again with the same key is accepted once',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    },
  ],
};

interface Schemas {
  /** The JSON Schema of one, with references to the named ones in it. */
  of(schema: z.ZodType, io: 'input' | 'output'): Json;
  named: Record<string, Json>;
}

/** Whatever the SDK exports by name is named here, too. */
function createSchemas(): Schemas {
  const registry = z.registry<{ id: string }>();
  for (const [id, value] of Object.entries(sdk)) {
    if (value instanceof z.ZodType && !registry.has(value)) registry.add(value, { id });
  }
  const named: Record<string, Json> = {};
  const made = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() };

  /** Only a schema with a default in it can be one thing on the way in and another on the way out. */
  function keep(id: string, shape: Json): void {
    if (named[id] !== undefined && !isDeepStrictEqual(named[id], shape)) {
      throw new Error(`${id} is not the same on the way in and on the way out: give the two their own names`);
    }
    named[id] = shape;
  }

  return {
    named,
    of(schema, io) {
      const known = made[io].get(schema);
      if (known) return known;
      const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { metadata: registry, io, override });
      for (const [id, each] of Object.entries($defs ?? {})) keep(id, toReferences(each));
      const references = toReferences(root);
      made[io].set(schema, references);
      return references;
    },
  };
}

/** Leaves out what says nothing to a reader, and what would forbid fields that a newer server adds. */
function override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const isStrict = zodSchema instanceof z.ZodObject && zodSchema.def.catchall instanceof z.ZodNever;
  if (!isStrict && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function toReferences(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
