// Waits for a call on behalf of one request: passes progress on, puts an approval to the client where it can, and keeps
// the client patient while a person elsewhere is asked. When the client leaves, the call is stopped.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { AnswerApproval, Approval, Progress, ToolOutcome } from '@toolyard/sdk';
import { createThinning } from '../core/calls/progress.ts';
import { parseReply, sayHow, toElicitation } from './elicitation.ts';
import type { UnderWay } from './under-way.ts';

export interface Attendance {
  ctx: Pick<ServerContext, 'mcpReq'>;
  /** How this client's person can be asked: within the request, by returning from it, or not here. */
  asks: 'within' | 'by returning' | 'elsewhere';
  /** How often a waiting client hears of it. */
  noticeEveryMs: number;
  answer(approval: Approval, answer: AnswerApproval): Promise<void>;
}

/** How a call ended, or the question that the client should come back with an answer to. */
export type Attended = { outcome: ToolOutcome } | { asked: Approval };

export async function attend(call: UnderWay, attendance: Attendance): Promise<Attended> {
  const { ctx, asks, noticeEveryMs } = attendance;
  const { signal } = ctx.mcpReq;
  const report = createReport(ctx);
  const returning = Promise.withResolvers<Attended>();
  let asking: AbortController | undefined;

  const unlisten = call.listen({
    progress: report,
    approval(approval) {
      asking?.abort();
      if (approval.state !== 'pending') return;
      if (asks === 'by returning') return returning.resolve({ asked: approval });
      asking = new AbortController();
      keepTelling(report, approval, { everyMs: noticeEveryMs, signal: asking.signal });
      if (asks === 'within') void askClient(approval, attendance, asking.signal);
    },
  });
  signal.addEventListener('abort', call.stop, { once: true });
  if (signal.aborted) call.stop();
  try {
    return await Promise.race([call.outcome.then((outcome) => ({ outcome })), returning.promise]);
  } finally {
    asking?.abort();
    unlisten();
    signal.removeEventListener('abort', call.stop);
  }
}

function keepTelling(
  report: Report,
  { id }: Approval,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): void {
  const tell = () => report({ message: `Waiting for a person: ${sayHow(id)}` });
  tell();
  const timer = setInterval(tell, everyMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Longer than any approval waits: its own clock ends it. */
const longestMs = 2 ** 31 - 1;

/** A client that fails to ask has not answered; the approval waits on. */
async function askClient(
  approval: Approval,
  { ctx, answer }: Attendance,
  signal: AbortSignal,
): Promise<void> {
  try {
    const params = { ...toElicitation(approval) };
    const reply = await ctx.mcpReq.send(
      { method: 'elicitation/create', params },
      { signal, timeout: longestMs },
    );
    const parsed = parseReply(reply);
    if (parsed && parsed !== 'dismissed') await answer(approval, parsed);
  } catch {
    return;
  }
}

type Report = (report: Progress) => void;

/** Progress to a client that asked for it: always rising, and never more than a slow reader can be made to hold. */
function createReport({ mcpReq }: Pick<ServerContext, 'mcpReq'>): Report {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const rise = createRise();
  const mayPass = createThinning();
  return ({ message, done, total }) => {
    if (!mayPass()) return;
    const params = {
      progressToken,
      progress: rise(done),
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that has left misses nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** The protocol wants each number above the last, also when there is only something to say. */
function createRise(): (done: number | undefined) => number {
  let last: number | undefined;
  let counts = false;
  return (done) => {
    if (done !== undefined && (last === undefined || done > last)) {
      counts = true;
      last = done;
    } else last = (last ?? 0) + (counts ? 2 ** -10 : 1);
    return last;
  };
}
