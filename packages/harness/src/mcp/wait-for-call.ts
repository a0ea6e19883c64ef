// Waits for a call on behalf of one request: passes progress on, puts an approval to the client where it can, and keeps
// the client patient while a person elsewhere is asked. When the client leaves, the call is stopped.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { AnswerApproval, Approval, Progress, ToolOutcome } from '@toolyard/sdk';
import { createThrottle } from '../core/calls/progress.ts';
import { formatHowToAnswer, parseReply, toElicitation } from './elicitation.ts';
import type { RunningCall } from './running-call.ts';

export interface WaitOptions {
  ctx: Pick<ServerContext, 'mcpReq'>;
  /** How this client's person can be asked: within the request, by returning from it, or not here. */
  asks: 'within' | 'by returning' | 'elsewhere';
  /** How often a waiting client hears of it. */
  noticeIntervalMs: number;
  answer(approval: Approval, answer: AnswerApproval): Promise<void>;
}

/** How a call ended, or the question that the client should come back with an answer to. */
export type WaitResult = { outcome: ToolOutcome } | { asked: Approval };

export async function waitForCall(call: RunningCall, options: WaitOptions): Promise<WaitResult> {
  const { ctx, asks, noticeIntervalMs } = options;
  const { signal } = ctx.mcpReq;
  const report = createReport(ctx);
  const returning = Promise.withResolvers<WaitResult>();
  let asking: AbortController | undefined;

  const unlisten = call.listen({
    progress: report,
    approval(approval) {
      asking?.abort();
      if (approval.state !== 'pending') return;
      if (asks === 'by returning') return returning.resolve({ asked: approval });
      asking = new AbortController();
      reportWhileWaiting(report, approval, { everyMs: noticeIntervalMs, signal: asking.signal });
      if (asks === 'within') void askClient(approval, options, asking.signal);
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

function reportWhileWaiting(
  report: Report,
  { id }: Approval,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): void {
  const sendReport = () => report({ message: `Waiting for a person: ${formatHowToAnswer(id)}` });
  sendReport();
  const timer = setInterval(sendReport, everyMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Longer than any approval waits: its own clock ends it. */
const maxTimerMs = 2 ** 31 - 1;

/** A client that fails to ask has not answered; the approval waits on. */
async function askClient(
  approval: Approval,
  { ctx, answer }: WaitOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    const params = { ...toElicitation(approval) };
    const reply = await ctx.mcpReq.send(
      { method: 'elicitation/create', params },
      { signal, timeout: maxTimerMs },
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
  const toIncreasing = createIncreasing();
  const mayPass = createThrottle();
  return ({ message, done, total }) => {
    if (!mayPass()) return;
    const params = {
      progressToken,
      progress: toIncreasing(done),
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that has left misses nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** The protocol wants each number above the last, also when there is only something to say. */
function createIncreasing(): (done: number | undefined) => number {
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
