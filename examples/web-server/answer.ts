// What the web server answers: its page, and three requests of that page. Who may ask is its own affair: here, pages of
// its own on this machine; on a network it would be whoever has logged in.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type AnswerApproval, ToolyardError, toFailure, toSse } from '@toolyard/sdk';
import type { Toolyard } from 'toolyard';

const maxBodyBytes = 100_000;

export function createAnswer(yard: Toolyard) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await answer(yard, request, response);
    } catch (thrown) {
      if (!(thrown instanceof ToolyardError)) console.error(thrown);
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: toFailure(thrown) }));
    }
  };
}

async function answer(yard: Toolyard, request: IncomingMessage, response: ServerResponse): Promise<void> {
  requireOwnPage(request);
  const [, things, id = '', verb] = (request.url ?? '').split('/');
  const asked = [request.method, things, id && ':id', verb].filter(Boolean).join(' ');
  const sendJson = (value: unknown) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  switch (asked) {
    case 'GET':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(await readFile(join(import.meta.dirname, 'page.html')));
      return;
    case 'POST sessions':
      return sendJson({ id: (await yard.sessions.create({ role: 'assistant' })).id });
    case 'POST sessions :id messages':
      return stream(yard, id, await readJson<{ content: string }>(request), response);
    case 'POST approvals :id':
      return sendJson(await yard.approvals.answer(id, await readJson<AnswerApproval>(request)));
    default:
      throw new ToolyardError('not_found', `There is nothing at ${request.method} ${request.url}.`);
  }
}

/** The turn as it happens. A reader who leaves takes it along. */
async function stream(
  yard: Toolyard,
  id: string,
  { content }: { content: string },
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const session = await yard.sessions.get(id);
  const turn = session.send(content, { signal: left.signal });
  await turn.accepted;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for await (const event of turn) response.write(toSse({ event: event.type, data: JSON.stringify(event) }));
  response.end();
}

/** Any page on the web can send requests to this machine; only our own may be heard. */
function requireOwnPage({ headers: { host = '', origin } }: IncomingMessage): void {
  const isHere = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host);
  if (isHere && (origin === undefined || origin === `http://${host}`)) return;
  throw new ToolyardError('forbidden_origin', 'Only pages of this server may ask it.');
}

/** What it says is checked where it is used: by the yard. */
async function readJson<T>(request: IncomingMessage): Promise<T> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > maxBodyBytes) throw new ToolyardError('payload_too_large', 'That is too long.');
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new ToolyardError('invalid_json', 'The body is no JSON.');
  }
}
