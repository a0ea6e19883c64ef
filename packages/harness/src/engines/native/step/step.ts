// One step of the model, tried again while that may help: only passing faults, and only as long as nothing was shown.
import { type EngineHost, type Failure, pause } from '@toolyard/sdk';
import { toFinalFault } from './failures.ts';
import { type CallEnd, callModel, type ModelCall } from './model-call.ts';
import { type RetryPolicy, toRetryDelay } from './retry.ts';

export interface StepDeps {
  retry: RetryPolicy;
  idleTimeoutMs: number;
  now(): number;
  random(): number;
}

export type StepCall = Omit<ModelCall, 'idleTimeoutMs'>;

/** A provider that shows no sign of life while its model thinks is given longer. */
const silentProviderFactor = 5;

/** What a model says at most when nobody knows it better. */
const defaultMaxOutput = 8_192;

/** Asks for the next step; the model may have to be told to say less than it could. */
export async function reserveStep(
  host: Pick<EngineHost, 'step'>,
  { found, usedTokens }: Pick<StepCall, 'found' | 'usedTokens'>,
): Promise<{ limit: Failure } | { maxOutputTokens?: number }> {
  const max = found.access.maxOutput ?? defaultMaxOutput;
  const granted = await host.step({ inputTokens: Math.ceil(usedTokens), maxOutputTokens: max });
  if ('limit' in granted) return granted;
  return granted.maxOutputTokens < max ? granted : {};
}

export async function runStep(deps: StepDeps, call: StepCall): Promise<CallEnd> {
  const startedAt = deps.now();
  const idleTimeoutMs = deps.idleTimeoutMs * (call.found.wire.pings ? 1 : silentProviderFactor);
  for (let attempts = 1; ; attempts += 1) {
    const ended = await callModel({ ...call, idleTimeoutMs });
    if (ended.end !== 'failed') return ended;
    const { answer, fault, shown } = ended;
    const now = deps.now();
    const waitMs =
      fault.isTransient && !shown
        ? toRetryDelay(deps.retry, {
            attempts,
            elapsedMs: now - startedAt,
            now,
            random: deps.random(),
            ...(fault.headers && { headers: fault.headers }),
          })
        : undefined;
    if (waitMs === undefined) return { ...ended, fault: toFinalFault(fault, attempts) };
    await pause(waitMs, call.signal);
    if (call.signal.aborted) return { end: 'interrupted', answer };
  }
}
