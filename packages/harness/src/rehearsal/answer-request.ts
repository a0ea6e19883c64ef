// The routes of the scripted service. Whatever goes wrong becomes an error in Anthropic's shape.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pause, toFailure } from '@toolyard/sdk';
import { deliver } from './reply/deliver.ts';
import { type Delivery, toMessageActions, toStreamActions } from './reply/delivery.ts';
import { createReply, toTokens } from './reply/reply.ts';
import { toConversation } from './request/conversation.ts';
import { type Body, readBody } from './request/read-body.ts';
import { defaultMessage, Refusal, toErrorBody } from './request/refusal.ts';
import { type CheckedRequest, parseCountTokensRequest, parseMessagesRequest } from './request/request.ts';
import { type Choice, chooseRule } from './scenarios/choose-rule.ts';
import type { FaultCounts } from './scenarios/fault-counts.ts';
import type { Rule } from './scenarios/scenario.ts';

interface Script {
  rules(): Promise<Rule[]>;
  counts: FaultCounts;
}

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

const models = [
  { id: 'claude-opus-5', display_name: 'Claude Opus 5 (rehearsal)' },
  { id: 'claude-sonnet-5', display_name: 'Claude Sonnet 5 (rehearsal)' },
  { id: 'claude-haiku-5', display_name: 'Claude Haiku 5 (rehearsal)' },
].map((model) => ({ type: 'model', ...model, created_at: '2026-01-01T00:00:00Z' }));

/** The models the scripted service lists. A message may name any model; these are for programs that look first. */
function listModels() {
  return { data: models, has_more: false, first_id: models[0]?.id, last_id: models.at(-1)?.id };
}

function findModel(id: string) {
  return models.find((model) => model.id === id);
}

/**
 * Answers one POST to the messages endpoint: check, choose a rule, deliver what it says. Resolves to a refusal that is
 * still to be sent, or to nothing once the answer is out.
 */
async function answerMessage(
  script: Script,
  body: Body,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const checked = parseMessagesRequest(body.json);
  if (checked instanceof Refusal) return checked;
  const conversation = toConversation(checked);
  const choice = chooseRule(await script.rules(), conversation, script.counts);
  const rule = choice?.rule;
  if (rule?.pace?.initialDelayMs) await pause(rule.pace.initialDelayMs, signal);

  const refusal = choice && toScriptedError(choice, checked);
  if (refusal) return refusal;
  const reply = createReply(choice, conversation, toTokens(body.characters));
  const delivery = toDelivery(choice);
  response.writeHead(200, toHeaders(checked));
  const actions = checked.isStream ? toStreamActions(reply, delivery) : toMessageActions(reply, delivery);
  await deliver(response, actions, { signal, splitBytes: rule?.splitBytes === true });
  return undefined;
}

/** The error a rule answers with instead of a reply. A failure inside the stream comes later. */
function toScriptedError(
  { rule: { fail }, isFaulty }: Choice,
  { isStream }: CheckedRequest,
): Refusal | undefined {
  if (!fail || !isFaulty || (isStream && fail.afterChars !== undefined)) return undefined;
  return new Refusal(fail.status, fail.message ?? defaultMessage(fail.status), fail.retryAfter);
}

function toDelivery(choice: Choice | undefined): Delivery {
  const { fail, cut, malformed, pace = {} } = choice?.rule ?? {};
  if (!choice?.isFaulty) return { pace, malformed };
  if (cut) return { pace, malformed, fault: { afterChars: cut.afterChars } };
  const error = fail && new Refusal(fail.status, fail.message ?? defaultMessage(fail.status));
  return { pace, malformed, ...(error && { fault: { afterChars: fail.afterChars ?? 0, error } }) };
}

function toHeaders({ isStream }: CheckedRequest): Record<string, string> {
  if (!isStream) return { 'content-type': 'application/json' };
  return { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
}
