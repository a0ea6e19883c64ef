// How each operation of the OpenAPI document may fail. Every failure has one shape; a status says which kind it is.
import { type AnyRoute, ErrorBody } from '@toolyard/sdk';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** The shape of every failure, as a component that operations refer to. */
export function toErrorResponses(of: (schema: z.ZodType, io: 'output') => Json): Json {
  const content = { 'application/json': { schema: of(ErrorBody, 'output') } };
  return { Error: { description: 'What went wrong, and what to do', content } };
}

const error = (description: string): Json => ({ $ref: '#/components/responses/Error', description });

/** What may go wrong at this route before it does anything; whatever else may is the default. */
export function toErrors(route: AnyRoute): Json {
  const hasParams = Object.keys(z.toJSONSchema(route.params).properties ?? {}).length > 0;
  const hasBody = !(route.body instanceof z.ZodUndefined);
  return {
    400: error('The request is not what this operation takes'),
    ...(!route.public && { 401: error('No token was sent, or one that is not valid') }),
    403: error('A foreign Host or Origin, or a token that does not open this'),
    ...(hasParams && { 404: error('There is nothing of that id or name') }),
    ...(hasBody && { 413: error('The body is too large'), 415: error('The body is not JSON') }),
    ...(route.status === 101 && { 426: error('The request asks for no upgrade') }),
    ...(!route.public && { 429: error('Too many attempts, readers or questions; try again later') }),
    default: error('What else went wrong'),
  };
}
