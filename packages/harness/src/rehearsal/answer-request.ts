// The routes of the scripted service. Whatever goes wrong becomes an error in Anthropic's shape.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toFailure } from '@toolyard/sdk';
import { answerMessage, type Script } from './answer-message.ts';
import { parseCountTokensRequest } from './messages-request.ts';
import { findModel, listModels } from './models.ts';
import { readBody } from './read-body.ts';
import { Refusal, toErrorBody } from './refusal.ts';
import { toTokens } from './reply.ts';

export async function answerRequest(
  script: Script,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  try {
    const outcome = await route(script, request, response, signal);
    if (outcome instanceof Refusal) sendRefusal(response, outcome);
    else if (outcome) sendJson(response, 200, outcome);
  } catch (error) {
    // A client that went away ends up here too; then there is nobody to tell.
    if (response.headersSent) response.destroy();
    else sendRefusal(response, new Refusal(500, toFailure(error).message));
  }
}

/** The path without its query, which the real client fills with switches. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

/** Resolves to what is still to be sent, or to nothing when all is sent. */
async function route(
  script: Script,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<object | undefined> {
  const path = pathOf(request);
  switch (`${request.method} ${path}`) {
    case 'HEAD /':
      response.writeHead(200).end();
      return undefined;
    case 'GET /v1/models':
      return listModels();
    case 'POST /v1/messages': {
      const body = await readBody(request);
      return body instanceof Refusal ? body : answerMessage(script, body, response, signal);
    }
    case 'POST /v1/messages/count_tokens': {
      const body = await readBody(request);
      if (body instanceof Refusal) return body;
      const checked = parseCountTokensRequest(body.json);
      return checked instanceof Refusal ? checked : { input_tokens: toTokens(body.characters) };
    }
  }
  const model = request.method === 'GET' && path.startsWith('/v1/models/') && findModel(path.slice(11));
  return model || new Refusal(404, `No such route: ${request.method} ${path.slice(0, 200)}`);
}

function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (refusal.retryAfter !== undefined) response.setHeader('retry-after', String(refusal.retryAfter));
  sendJson(response, refusal.status, toErrorBody(refusal));
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
