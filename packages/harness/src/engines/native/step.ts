// One step of the model, tried again while that may help: only passing faults, and only as long as nothing was shown.
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

export type StepCall = Omit<ModelCall, 'silenceMs'>;

/** A provider that shows no sign of life while its model thinks is given longer. */
const patience = 5;

export async function runStep(deps: StepDeps, call: StepCall): Promise<CallEnd> {
  const startedAt = deps.now();
  const silenceMs = deps.silenceMs * (call.found.wire.pings ? 1 : patience);
  for (let attempts = 1; ; attempts += 1) {
    const ended = await callModel({ ...call, silenceMs });
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
