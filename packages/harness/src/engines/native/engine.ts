// The native engine: our own loop over the AI SDK's providers, one model call at a time. Its tools are the host's.
import type { Engine } from '@toolyard/sdk';
import { type Access, createModels } from './models/models.ts';
import { createNativeSession } from './session.ts';
import { defaultRetry, type RetryPolicy } from './step/retry.ts';

export interface NativeEngineOptions {
  /** Asked before each turn, so that a changed key is used at once. May reject with what a person should do. */
  access: Access;
  /** Throws `unknown_model` for a model that nobody serves. */
  checkModel?: (model: string) => void;
  retry?: Partial<RetryPolicy>;
  /** A stream that says nothing for this long counts as cut. */
  idleTimeoutMs?: number;
  now?: () => number;
  random?: () => number;
}

export function createNativeEngine(options: NativeEngineOptions): Engine {
  const models = createModels(options.access);
  const { checkModel } = options;
  const deps = {
    models,
    retry: { ...defaultRetry, ...options.retry },
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
  };
  return {
    id: 'native',
    nativeTools: [],
    asksForSteps: true,
    ...(checkModel && { checkModel }),
    async start(spec) {
      models.warm(spec.model);
      return createNativeSession(deps, spec);
    },
  };
}
