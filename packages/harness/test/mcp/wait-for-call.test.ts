import type { Approval, Progress, ToolOutcome } from '@toolyard/sdk';
import { pause } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { type CallSignals, startCall } from '../../src/mcp/running-call.ts';
import { type WaitOptions, waitForCall } from '../../src/mcp/wait-for-call.ts';

type Notice = Parameters<WaitOptions['ctx']['mcpReq']['notify']>[0];

/** A request that asked for progress, and what it was told. */
function createRequest(signal = new AbortController().signal) {
  const told: Notice[] = [];
  const mcpReq = {
    id: 1,
    method: 'tools/call',
    _meta: { progressToken: 'p' },
    signal,
    notify: async (notice: Notice) => void told.push(notice),
  };
  // As much of a request's context as attending uses.
  return { told, ctx: { mcpReq } as unknown as WaitOptions['ctx'] };
}

const outcome: ToolOutcome = { toolCallId: 'c', tool: 't', text: '{}', output: {}, isError: false };
const pending = { id: 'apr_1', state: 'pending' } as Approval; // the part of it that is read here

function attending(
  request: ReturnType<typeof createRequest>,
  asks: WaitOptions['asks'] = 'elsewhere',
): WaitOptions {
  return { ctx: request.ctx, asks, noticeIntervalMs: 40, answer: async () => {} };
}

describe('a request that waits for a call', () => {
  it('hears every so often that a person is asked, until the person has answered', async () => {
    const request = createRequest();
    let atOnce = 0;
    const call = startCall(async ({ onApproval }: CallSignals) => {
      onApproval(pending);
      await pause(0);
      atOnce = request.told.length;
      await pause(150);
      onApproval({ ...pending, state: 'allowed' });
      await pause(150);
      return outcome;
    });
    expect(await waitForCall(call, attending(request))).toEqual({ outcome });
    expect(atOnce).toBe(1);
    expect(request.told.length).toBeGreaterThanOrEqual(3);
    expect(request.told.length).toBeLessThanOrEqual(5);
    expect(request.told.slice(0, 2).map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, message: 'Waiting for a person: toolyard approvals allow apr_1' },
      { progressToken: 'p', progress: 2, message: 'Waiting for a person: toolyard approvals allow apr_1' },
    ]);
  });

  it('returns with the question where the client asks by coming back, and the call goes on without it', async () => {
    const { promise, resolve } = Promise.withResolvers<ToolOutcome>();
    const call = startCall(({ onApproval, signal }) => {
      onApproval(pending);
      signal.addEventListener('abort', () => resolve({ ...outcome, isError: true }));
      return promise;
    });
    const leaving = new AbortController();
    const first = createRequest(leaving.signal);
    expect(await waitForCall(call, attending(first, 'by returning'))).toEqual({ asked: pending });
    leaving.abort();
    resolve(outcome);
    expect(await waitForCall(call, attending(createRequest()))).toEqual({ outcome });
    expect(first.told).toEqual([]);
  });

  it('stops the call when its client leaves', async () => {
    const leaving = new AbortController();
    const call = startCall(async ({ signal }) => {
      await pause(5_000, signal);
      return { ...outcome, isError: signal.aborted };
    });
    const attended = waitForCall(call, attending(createRequest(leaving.signal)));
    leaving.abort();
    expect(await attended).toEqual({ outcome: { ...outcome, isError: true } });
  });

  it('is told numbers that rise, whatever the tool reports', async () => {
    const request = createRequest();
    const reports: Progress[] = [
      { message: 'a' },
      { done: 5, total: 10 },
      { done: 4 },
      { message: 'b' },
      { done: 6 },
    ];
    const call = startCall(async ({ onProgress }) => {
      await pause(0);
      for (const report of reports) onProgress(report);
      return outcome;
    });
    await waitForCall(call, attending(request));
    expect(request.told.map(({ params }) => params?.progress)).toEqual([1, 5, 5 + 2 ** -10, 5 + 2 ** -9, 6]);
  });
});
