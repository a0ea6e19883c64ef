// A provider's service on loopback that says what the rehearsal's scenarios say, in the provider's own wire. What the
// wire is, and what its real service would refuse, each double brings itself.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliver } from '../../../../src/rehearsal/reply/deliver.ts';
import type { Action } from '../../../../src/rehearsal/reply/delivery.ts';
import { type Frame, toFrames } from '../../../../src/rehearsal/reply/frames.ts';
import { createReply, type Reply, toTokens } from '../../../../src/rehearsal/reply/reply.ts';
import { toConversation } from '../../../../src/rehearsal/request/conversation.ts';
import { readBody } from '../../../../src/rehearsal/request/read-body.ts';
import { defaultMessage, Refusal } from '../../../../src/rehearsal/request/refusal.ts';
import { parseMessagesRequest } from '../../../../src/rehearsal/request/request.ts';
import { chooseRule } from '../../../../src/rehearsal/scenarios/choose-rule.ts';
import { createFaultCounts } from '../../../../src/rehearsal/scenarios/fault-counts.ts';
import { loadScenario, scenarioPaths, toRules } from '../../../../src/rehearsal/scenarios/load-scenario.ts';
import type { Rule, Scenario } from '../../../../src/rehearsal/scenarios/scenario.ts';

/** The conversation in the one form that scenarios know. */
export interface Heard {
  model: string;
  messages: HeardMessage[];
  tools: { name: string; input_schema: unknown }[];
}

export interface HeardMessage {
  role: 'user' | 'assistant';
  content: Record<string, unknown>[];
}

export interface Refused {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** One wire. Nothing in it may be kinder than the real service. */
export interface DoubleWire {
  /** What a base URL ends with. */
  base: string;
  /** Gives the conversation, or says no as the service does. */
  hear(asked: Asked): Heard | Refusal;
  refuse(refusal: Refusal): Refused;
  /** Translates an answer, frame by frame. */
  speak(reply: Reply): (frame: Frame) => object[];
  /** How one event is written. */
  write(event: object): string;
  /** What ends a stream. */
  end?: string;
}

export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface Double {
  url: string;
  /** Bodies of all requests. */
  requests: unknown[];
  /** What was refused as no service would take it; a test that goes well leaves it empty. */
  complaints: string[];
  close(): Promise<void>;
}

const scenarios = new Map<string, Promise<Scenario>>();

/** Read once, however many servers play it. */
export function readScenario(path: string): Promise<Scenario> {
  const scenario = scenarios.get(path) ?? loadScenario(path);
  scenarios.set(path, scenario);
  return scenario;
}

export async function serveDouble(wire: DoubleWire, path = scenarioPaths.conformance): Promise<Double> {
  const rules = toRules(await readScenario(path));
  const counts = createFaultCounts();
  const [requests, complaints]: [unknown[], string[]] = [[], []];
  const answer = async (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => {
    const body = await readBody(request);
    const asked = {
      path: request.url ?? '',
      headers: request.headers,
      body: 'json' in body ? body.json : {},
    };
    requests.push(asked.body);
    const heard = wire.hear(asked);
    const checked = heard instanceof Refusal ? heard : check(heard);
    if (checked instanceof Refusal) {
      complaints.push(checked.message);
      return refuse(response, wire.refuse(checked));
    }
    const conversation = toConversation(checked);
    const choice = chooseRule(rules, conversation, counts);
    const fail = choice?.isFaulty ? choice.rule.fail : undefined;
    if (fail) {
      const said = fail.message ?? defaultMessage(fail.status);
      return refuse(response, wire.refuse(new Refusal(fail.status, said, fail.retryAfter)));
    }
    const reply = createReply(choice, conversation, toTokens(JSON.stringify(asked.body).length));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const actions = toActions(wire, reply, choice?.rule, choice?.isFaulty === true);
    await deliver(response, actions, { signal, splitBytes: choice?.rule.splitBytes === true });
  };
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    answer(request, response, gone.signal).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${wire.base}`,
    requests,
    complaints,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function check({ model, messages, tools }: Heard) {
  return parseMessagesRequest({ model, messages, tools, max_tokens: 1, stream: true });
}

function refuse(response: ServerResponse, { status, headers = {}, body }: Refused): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The rehearsal's own steps (delivery.ts), with each frame in another wire. */
function* toActions(
  wire: DoubleWire,
  reply: Reply,
  rule: Rule | undefined,
  isFaulty: boolean,
): Generator<Action> {
  const { pace, malformed } = rule ?? {};
  const cut = isFaulty ? rule?.cut : undefined;
  const chunkChars = Math.min(pace?.chunkChars ?? 40, cut?.afterChars ?? Number.POSITIVE_INFINITY);
  const translate = wire.speak(reply);
  let sent = 0;
  let isBroken = malformed !== 'stream';
  for (const frame of toFrames(reply, { chunkChars, brokenInput: malformed === 'toolInput' })) {
    if (cut && frame.event === 'content_block_delta' && sent >= cut.afterChars) {
      yield { cut: true };
      return;
    }
    if (frame.characters > 0 && pace?.delayMs) yield { waitMs: pace.delayMs };
    for (const event of translate(frame)) yield { send: wire.write(event) };
    sent += frame.characters;
    if (!isBroken && frame.event === 'content_block_delta') {
      yield { send: 'data: {"id":"1","type":"respo\n\n' };
      isBroken = true;
    }
  }
  if (wire.end) yield { send: wire.end };
}
