// Plays turns of the native engine against a model whose answers a test has written out.
import type { EngineSpec, Failure, ModelAccess, TurnInput, TurnOutcome } from '@toolyard/sdk';
import { createRecordingHost, type RecordingHostOptions } from '@toolyard/sdk/testing';
import { createNativeEngine, type NativeEngineOptions } from '../../../src/engines/native/engine.ts';
import type { ModelServer } from './model-server.ts';

const model = 'anthropic/claude-sonnet-4-5';

/** Access as the harness grants it, to Anthropic unless it is said otherwise. */
export function accessTo(granted: Partial<ModelAccess>): (model: string) => ModelAccess {
  return (name) => ({
    provider: 'anthropic',
    type: 'anthropic',
    model: name.slice(name.indexOf('/') + 1),
    baseUrl: '',
    apiKey: 'a-key',
    settings: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
    ...granted,
  });
}

export const spec: EngineSpec = {
  sessionId: 'ses_1',
  model,
  instructions: 'Be brief.',
  cwd: '/',
  tools: [],
  nativeTools: [],
  maxSteps: 5,
};

export function engineOn(server: ModelServer, options: Partial<NativeEngineOptions> = {}) {
  return createNativeEngine({
    access: accessTo({ baseUrl: server.url }),
    retry: { initialWaitMs: 1 },
    ...options,
  });
}

export async function play(
  engine: ReturnType<typeof createNativeEngine>,
  input: TurnInput | string = 'hi',
  options: RecordingHostOptions & { spec?: Partial<EngineSpec> } = {},
) {
  const session = await engine.start({ ...spec, ...options.spec });
  const host = createRecordingHost(options);
  const message = typeof input === 'string' ? ({ kind: 'message', content: input } as const) : input;
  const outcome = await session.prompt(message, host);
  return { outcome, host, session };
}

export function failureOf(outcome: TurnOutcome): Failure {
  if (outcome.outcome !== 'failed') throw new Error(`expected a failed turn, not ${outcome.outcome}`);
  return outcome.error;
}

/** Where caching was asked for is a test of its own; the rest compare what is said. */
export function unmarked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each) => (key === 'cache_control' ? undefined : each)));
}
