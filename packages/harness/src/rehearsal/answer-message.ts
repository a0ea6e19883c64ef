// Answers one POST to the messages endpoint: check, choose a rule, deliver what it says.
import type { ServerResponse } from 'node:http';
import { pause } from '@toolyard/sdk';
import { type Choice, chooseRule } from './choose-rule.ts';
import { toConversation } from './conversation.ts';
import { deliver } from './deliver.ts';
import { type Delivery, toMessageActions, toStreamActions } from './delivery.ts';
import type { FaultCounts } from './fault-counts.ts';
import { type CheckedRequest, parseMessagesRequest } from './messages-request.ts';
import type { Body } from './read-body.ts';
import { Refusal, usualMessage } from './refusal.ts';
import { createReply, toTokens } from './reply.ts';
import type { Rule } from './scenario.ts';

export interface Script {
  rules(): Promise<Rule[]>;
  counts: FaultCounts;
}

/** Resolves to a refusal that is still to be sent, or to nothing once the answer is out. */
export async function answerMessage(
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

  const refusal = choice && toFailure(choice, checked);
  if (refusal) return refusal;
  const reply = createReply(choice, conversation, toTokens(body.characters));
  const delivery = toDelivery(choice);
  response.writeHead(200, toHeaders(checked));
  const actions = checked.isStream ? toStreamActions(reply, delivery) : toMessageActions(reply, delivery);
  await deliver(response, actions, { signal, splitBytes: rule?.splitBytes === true });
  return undefined;
}

/** The error a rule answers with instead of a reply. A failure inside the stream comes later. */
function toFailure({ rule: { fail }, isFaulty }: Choice, { isStream }: CheckedRequest): Refusal | undefined {
  if (!fail || !isFaulty || (isStream && fail.afterChars !== undefined)) return undefined;
  return new Refusal(fail.status, fail.message ?? usualMessage(fail.status), fail.retryAfter);
}

function toDelivery(choice: Choice | undefined): Delivery {
  const { fail, cut, malformed, pace = {} } = choice?.rule ?? {};
  if (!choice?.isFaulty) return { pace, malformed };
  if (cut) return { pace, malformed, fault: { afterChars: cut.afterChars } };
  const error = fail && new Refusal(fail.status, fail.message ?? usualMessage(fail.status));
  return { pace, malformed, ...(error && { fault: { afterChars: fail.afterChars ?? 0, error } }) };
}

function toHeaders({ isStream }: CheckedRequest): Record<string, string> {
  if (!isStream) return { 'content-type': 'application/json' };
  return { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
}
