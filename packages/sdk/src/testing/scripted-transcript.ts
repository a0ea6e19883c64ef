// The scripted engine's memory of a conversation: what it stores at each checkpoint and reads back on resume.
import { z } from 'zod';
import type { EngineHost, ToolOutcome } from '../engine/engine.ts';
import type { ScriptedMessage, ScriptedTurn } from './scripted-step.ts';

const Outcome = z.custom<ToolOutcome>(
  (value) => z.looseObject({ toolCallId: z.string() }).safeParse(value).success,
);

const Entry = z.union([
  z.strictObject({ heard: z.string() }),
  z.strictObject({
    said: z.object({
      text: z.string(),
      calls: z.array(z.object({ id: z.string(), name: z.string(), input: z.unknown() })),
      native: z.array(z.string()),
    }),
  }),
  z.strictObject({ settled: z.array(Outcome) }),
]);
type Entry = z.infer<typeof Entry>;

type Checkpoints = Pick<EngineHost, 'checkpoint'>;

export interface ScriptedTranscript {
  hear(text: string, host: Checkpoints): void;
  say(message: ScriptedMessage, host: Checkpoints): void;
  /** Stores results of open calls; a call that `outcomes` does not name is marked unknown. */
  settle(outcomes: ToolOutcome[], host: Checkpoints): void;
  isAnswered(): boolean;
  toTurn(): ScriptedTurn;
  nextCallId(): string;
}

export function createScriptedTranscript(stored: unknown[]): ScriptedTranscript {
  const entries: Entry[] = z.array(Entry).parse(stored);
  let ids = 0;
  const append = (entry: Entry, host: Checkpoints) => {
    entries.push(entry);
    void host.checkpoint({ append: [entry] });
  };
  const settle: ScriptedTranscript['settle'] = (outcomes, host) => {
    const last = entries.at(-1);
    if (!last || !('said' in last) || last.said.calls.length === 0) return;
    const settled = last.said.calls.map(
      (call) => outcomes.find((outcome) => outcome.toolCallId === call.id) ?? toUnknown(call.id, call.name),
    );
    append({ settled }, host);
  };
  return {
    settle,
    hear(text, host) {
      settle([], host);
      append({ heard: text }, host);
    },
    say: (message, host) => append({ said: message }, host),
    isAnswered() {
      const last = entries.at(-1);
      return last !== undefined && 'said' in last && last.said.calls.length === 0;
    },
    toTurn: () => toTurn(entries),
    nextCallId() {
      ids += 1;
      // Numbered by what was said so far too, so that ids stay unique after a resume.
      return `call_${entries.length}_${ids}`;
    },
  };
}

function toTurn(entries: Entry[]): ScriptedTurn {
  const start = entries.findLastIndex((entry) => 'heard' in entry);
  const turn = entries.slice(start + 1);
  const history = entries.flatMap((entry) => ('heard' in entry ? [entry.heard] : []));
  return {
    text: history.at(-1) ?? '',
    step: turn.filter((entry) => 'said' in entry).length,
    outcomes: turn.flatMap((entry) => ('settled' in entry ? entry.settled : [])),
    history,
  };
}

function toUnknown(toolCallId: string, tool: string): ToolOutcome {
  const text = 'The server stopped while this call ran: outcome unknown.';
  return { toolCallId, tool, text, isError: true, outcome: 'unknown' };
}
