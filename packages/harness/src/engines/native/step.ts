// One step of a turn: a model call, made again after a passing fault as long as nothing of it has been shown.
import { pause } from '@toolyard/sdk';
import { toGivenUp } from './failures.ts';
import { type CallEnd, callModel, type ModelCall } from './model-call.ts';
import { type RetryPolicy, toWait } from './retry.ts';

export interface StepDeps {
  retry: RetryPolicy;
  silenceMs: number;
  now(): number;
  random(): number;
}

export async function runStep(deps: StepDeps, call: Omit<ModelCall, 'silenceMs'>): Promise<CallEnd> {
  const startedAt = deps.now();
  for (let attempts = 1; ; attempts += 1) {
    const ended = await callModel({ ...call, silenceMs: deps.silenceMs });
    if (ended.end !== 'failed') return ended;
    const { answer, fault, shown } = ended;
    const now = deps.now();
    const waitMs =
      fault.passing && !shown
        ? toWait(deps.retry, {
            attempts,
            elapsedMs: now - startedAt,
            now,
            random: deps.random(),
            ...(fault.headers && { headers: fault.headers }),
          })
        : undefined;
    if (waitMs === undefined) return { ...ended, fault: toGivenUp(fault, attempts) };
    await pause(waitMs, call.signal);
    if (call.signal.aborted) return { end: 'interrupted', answer };
  }
}
