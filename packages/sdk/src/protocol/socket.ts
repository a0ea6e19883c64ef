// What goes over `/api/ws`: one JSON text per frame, and how a browser, which can send no headers, says who it is.
import { z } from 'zod';
import { AnswerApproval, Approval, ApprovalId } from './approval.ts';
import { SentContent } from './content/content.ts';
import { Failure } from './error.ts';
import { Event } from './event.ts';
import { Answer, Question, QuestionId } from './question.ts';
import { SessionId, TurnId } from './session.ts';

/** Bytes of a client's frame. What is larger goes over HTTP. */
export const largestFrame = 1024 * 1024;

/** A client's own name for what it sends; the answer carries the same. */
export const Ref = z.union([z.string().max(100), z.int()]);
export type Ref = z.infer<typeof Ref>;

const ref = Ref.optional();
const place = z.int().nonnegative();

const clientFrames = [
  /** Without a session: all of them. A second one takes the place of the first. */
  z.strictObject({
    type: z.literal('subscribe'),
    ref,
    sessionId: SessionId.optional(),
    /** A number in the session's log, or a position in that of all sessions. Default: its start, or its end. */
    after: place.optional(),
    /** Of a session's log: what is there may come in `events` frames, many at once. */
    batch: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), ref, sessionId: SessionId.optional() }),
  z.strictObject({
    type: z.literal('message'),
    ref,
    sessionId: SessionId,
    content: SentContent,
    /** Makes it safe to send the message again: it is taken once. */
    idempotencyKey: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/, 'use 1 to 255 visible ASCII characters')
      .optional(),
  }),
  z.strictObject({ type: z.literal('approval'), ref, approvalId: ApprovalId, ...AnswerApproval.shape }),
  z.strictObject({ type: z.literal('question'), ref, questionId: QuestionId, answer: Answer }),
  z.strictObject({ type: z.literal('interrupt'), ref, sessionId: SessionId, turnId: TurnId.optional() }),
] as const;

const types = clientFrames.map(({ shape }) => shape.type.value).join(', ');

export const ClientFrame = z.discriminatedUnion('type', clientFrames, {
  error: ({ code }) => (code === 'invalid_union' ? `use one of ${types}` : undefined),
});
export type ClientFrame = z.infer<typeof ClientFrame>;

export const ServerFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('event'),
    event: Event,
    /** Its place in the log of all sessions, when it comes of the subscription to all. */
    position: place.optional(),
  }),
  /** To who asked for batches: some events of one session, in order. */
  z.object({ type: z.literal('events'), events: z.array(Event) }),
  z.object({
    type: z.literal('ack'),
    ref,
    /** Of a subscription: whose it is, and where it begins. */
    sessionId: SessionId.optional(),
    after: place.optional(),
    /** Of a message or an interrupt. */
    turnId: TurnId.nullable().optional(),
    seq: place.optional(),
    approval: Approval.optional(),
    question: Question.optional(),
  }),
  z.object({ type: z.literal('error'), ref, error: Failure }),
  /** The reader was too slow, and this subscription has ended. Subscribe again after the last event you have. */
  z.object({ type: z.literal('resync'), sessionId: SessionId.optional(), after: place }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

/** The subprotocol that clients offer. */
export const socketProtocol = 'toolyard.v1';
/** Those that the server speaks: it answers with the first of these that is offered, and with nothing else. */
export const socketProtocols: readonly string[] = [socketProtocol, 'toolyard'];
const tokenPrefix = 't.';
const bearerPrefix = 'toolyard.bearer.';
const viaPrefix = 'toolyard.via.';

/** What to offer as subprotocols: besides ours, the token (no header is needed then) and the surface. */
export function toSocketProtocols({
  token,
  via,
}: {
  token?: string | undefined;
  via?: string | undefined;
}): string[] {
  return [socketProtocol, ...(token ? [toTokenProtocol(token)] : []), ...(via ? [`${viaPrefix}${via}`] : [])];
}

/** As it is if a subprotocol may hold all its characters, else encoded. */
function toTokenProtocol(token: string): string {
  const isPlain = /^[\w!#$%&'*+.^`|~-]+$/.test(token);
  return isPlain ? `${tokenPrefix}${token}` : `${bearerPrefix}${encodeToken(token)}`;
}

/** The token and the surface among the subprotocols that were offered, as the header has them. */
export function parseSocketProtocols(header: string): { token?: string; via?: string } {
  const offered = header.split(',').map((each) => each.trim());
  const after = (prefix: string) => offered.find((each) => each.startsWith(prefix))?.slice(prefix.length);
  const encoded = after(bearerPrefix);
  const token = after(tokenPrefix) ?? (encoded === undefined ? undefined : decodeToken(encoded));
  const via = after(viaPrefix);
  return { ...(token !== undefined && { token }), ...(via && { via }) };
}

/** Base64 for URLs: a subprotocol may hold no other characters, and a token any. */
function encodeToken(token: string): string {
  const bytes = Array.from(new TextEncoder().encode(token), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** What is no token becomes one that nobody has. */
function decodeToken(encoded: string): string {
  if (!/^[\w-]+$/.test(encoded)) return '';
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return '';
  }
}
