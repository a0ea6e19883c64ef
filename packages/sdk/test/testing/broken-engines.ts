// Engines with one planted bug each, made by bending what the scripted engine sees of its host.
import type { Checkpoint, Engine, EngineHost, EngineSpec, TurnInput, TurnOutcome } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';

type Prompt = (input: TurnInput, host: EngineHost) => Promise<TurnOutcome>;

export interface BrokenEngine {
  bug: string;
  /** The case, by the start of its title, that must notice. */
  caughtBy: string;
  engine: Engine;
}

function withPrompt(bend: (prompt: Prompt) => Prompt, bendSpec = (spec: EngineSpec) => spec): Engine {
  const sound = createScriptedEngine();
  return {
    ...sound,
    async start(spec) {
      const session = await sound.start(bendSpec(spec));
      return { ...session, prompt: bend(session.prompt) };
    },
  };
}

function withHost(bend: (host: EngineHost) => Partial<EngineHost>): Engine {
  return withPrompt((prompt) => (input, host) => prompt(input, { ...host, ...bend(host) }));
}

function withSpec(bend: (spec: EngineSpec) => EngineSpec): Engine {
  return withPrompt((prompt) => prompt, bend);
}

function withTools(bend: (host: EngineHost) => EngineHost['tools']['call']): Engine {
  return withHost((host) => ({ tools: { ...host.tools, call: bend(host) } }));
}

function withoutNth(type: string, nth: number): Engine {
  return withHost((host) => {
    let seen = 0;
    return {
      emit(event) {
        seen += event.type === type ? 1 : 0;
        return event.type === type && seen === nth ? undefined : host.emit(event);
      },
    };
  });
}

export const brokenEngines: BrokenEngine[] = [
  {
    bug: 'calls each tool twice',
    caughtBy: 'one tool',
    engine: withTools((host) => async (call) => {
      await host.tools.call(call);
      return host.tools.call(call);
    }),
  },
  {
    bug: 'emits after the turn has ended',
    caughtBy: 'text',
    engine: withPrompt((prompt) => async (input, host) => {
      const outcome = await prompt(input, host);
      setTimeout(() => host.emit({ type: 'text_delta', data: { text: 'late' } }), 5);
      return outcome;
    }),
  },
  {
    bug: 'swallows the abort',
    caughtBy: 'abort while streaming',
    engine: withHost(() => ({ signal: new AbortController().signal })),
  },
  { bug: 'drops a text delta', caughtBy: 'text', engine: withoutNth('text_delta', 2) },
  { bug: 'drops a delta of a call’s input', caughtBy: 'one tool', engine: withoutNth('tool_call_delta', 2) },
  { bug: 'drops the end of a call', caughtBy: 'one tool', engine: withoutNth('tool_call_end', 1) },
  { bug: 'never counts usage', caughtBy: 'text', engine: withoutNth('usage', 1) },
  {
    bug: 'never checkpoints',
    caughtBy: 'one tool',
    engine: withHost(() => ({ checkpoint: async () => {} })),
  },
  {
    bug: 'stores a message with calls only after they have run',
    caughtBy: 'continue: a settled call',
    engine: withHost((host) => {
      const held: Checkpoint[] = [];
      let seen = 0;
      return {
        async checkpoint(step) {
          seen += 1;
          held.push(step);
          if (seen !== 2) for (const each of held.splice(0)) await host.checkpoint(each);
        },
      };
    }),
  },
  {
    bug: 'ignores settled results and runs the calls again',
    caughtBy: 'continue: a settled call',
    engine: withPrompt((prompt) => async (input, host) => {
      if (input.kind === 'message') return prompt(input, host);
      const rerun = input.settled.map(({ toolCallId, tool }) =>
        host.tools.call({ id: toolCallId, name: tool, input: { text: 'one' } }),
      );
      return prompt({ kind: 'continue', settled: await Promise.all(rerun) }, host);
    }),
  },
  {
    bug: 'forgets settled results',
    caughtBy: 'continue: a settled call',
    engine: withPrompt(
      (prompt) => (input, host) =>
        prompt(input.kind === 'continue' ? { ...input, settled: [] } : input, host),
    ),
  },
  {
    bug: 'forgets what it resumes from',
    caughtBy: 'resume',
    engine: withSpec(({ resume: _, ...spec }) => spec),
  },
  {
    bug: 'does not wait for a slow reader',
    caughtBy: 'slow reader',
    engine: withHost((host) => ({ emit: (event) => void host.emit(event) })),
  },
  {
    bug: 'takes a step more than allowed',
    caughtBy: 'endless tools',
    engine: withSpec((spec) => ({ ...spec, maxSteps: spec.maxSteps + 1 })),
  },
  {
    bug: 'calls under another id than it emitted',
    caughtBy: 'one tool',
    engine: withTools((host) => (call) => host.tools.call({ ...call, id: `${call.id}_again` })),
  },
  {
    bug: 'announces a call twice',
    caughtBy: 'parallel tools',
    engine: withHost((host) => ({
      emit(event) {
        if (event.type === 'tool_call_start') host.emit(event);
        return host.emit(event);
      },
    })),
  },
  {
    bug: 'corrects the model’s input',
    caughtBy: 'invalid input',
    engine: withTools((host) => (call) => host.tools.call({ ...call, input: { text: String(call.input) } })),
  },
  {
    bug: 'throws when the model fails',
    caughtBy: 'overload for ever',
    engine: withPrompt((prompt) => async (input, host) => {
      const outcome = await prompt(input, host);
      if (outcome.outcome === 'failed') throw new Error(outcome.error.message);
      return outcome;
    }),
  },
  {
    bug: 'calls a failure a success',
    caughtBy: 'stream cut',
    engine: withPrompt((prompt) => async (input, host) => {
      const outcome = await prompt(input, host);
      return outcome.outcome === 'failed' ? { outcome: 'completed' } : outcome;
    }),
  },
];
