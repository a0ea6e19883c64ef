// An EngineHost in memory: offers the suite's tools, records what an engine does and keeps its checkpoints as a store
// would. Used by the conformance suite and by tests of single engines.
import { z } from 'zod';
import type {
  Checkpoint,
  EngineEvent,
  EngineHost,
  Resume,
  ToolCall,
  ToolOutcome,
  ToolSpec,
  TurnOutcome,
  Verdict,
} from '../../engine/engine.ts';
import { pause } from '../../lib/wait.ts';
import { createTurnRules } from './turn-rules.ts';

/** What a store would hold of one session. It outlives hosts, as the store outlives turns. */
export interface Journal {
  readonly checkpoints: Checkpoint[];
  save(step: Checkpoint): void;
  /** From now on nothing is stored: the server has died. */
  crash(): void;
  /** What a new engine session would be started with. */
  resume(): Resume;
}

export function createJournal(): Journal {
  const checkpoints: Checkpoint[] = [];
  let crashed = false;
  return {
    checkpoints,
    save(step) {
      // A copy, as a store keeps one: what an engine changes afterwards must not reach it.
      if (!crashed) checkpoints.push(JSON.parse(JSON.stringify(step)));
    },
    crash() {
      crashed = true;
    },
    resume() {
      const token = checkpoints.findLast((step) => step.token !== undefined)?.token;
      const state = checkpoints.findLast((step) => step.state !== undefined)?.state;
      return {
        ...(token !== undefined && { token }),
        ...(state !== undefined && { state: structuredClone(state) }),
        entries: structuredClone(checkpoints.flatMap((step) => step.append ?? [])),
      };
    },
  };
}

export interface RecordingHost extends EngineHost {
  readonly events: EngineEvent[];
  readonly calls: ToolCall[];
  /** What was said of calls that the host did not run. */
  readonly endings: ToolOutcome[];
  readonly breaches: readonly string[];
  abort(): void;
  /** The turn has ended: whatever the engine does now is a breach. */
  end(outcome: TurnOutcome | undefined): void;
}

export interface RecordingHostOptions {
  journal?: Journal;
  /** Replaces the suite's tools; `specs` are offered either way. */
  runTool?: (call: ToolCall, signal: AbortSignal) => Promise<ToolOutcome>;
  specs?: ToolSpec[];
  judge?: (call: ToolCall) => Verdict;
  /** Each emit takes this long, as with a slow disk; infinity is a reader that never catches up. */
  emitTakesMs?: number;
  onEvent?: (event: EngineEvent, host: RecordingHost) => void;
  /** The signal has aborted before the turn begins. */
  aborted?: boolean;
}

export function createRecordingHost(options: RecordingHostOptions = {}): RecordingHost {
  const { journal = createJournal(), runTool = runSuiteTool, specs = suiteTools, emitTakesMs = 0 } = options;
  const controller = new AbortController();
  const rules = createTurnRules();
  const events: EngineEvent[] = [];
  const calls: ToolCall[] = [];
  const endings: ToolOutcome[] = [];
  const judged = new Set<string>();
  controller.signal.addEventListener('abort', () => rules.mark({ aborted: true }));
  const call = (asked: ToolCall) => {
    rules.called(asked);
    calls.push(asked);
    return runTool(asked, controller.signal);
  };
  if (options.aborted) controller.abort();
  const host: RecordingHost = {
    events,
    calls,
    endings,
    breaches: rules.breaches,
    signal: controller.signal,
    abort: () => controller.abort(),
    end: rules.ended,
    emit(event) {
      rules.emitted(event);
      events.push(event);
      options.onEvent?.(event, host);
      if (emitTakesMs === 0) return undefined;
      rules.mark({ held: true });
      if (emitTakesMs === Number.POSITIVE_INFINITY) return new Promise(() => {});
      return pause(emitTakesMs).then(() => rules.mark({ held: false }));
    },
    async checkpoint(step) {
      rules.checkpointed(step);
      journal.save(step);
    },
    mode: async () => 'default',
    step: async ({ maxOutputTokens }) => ({ maxOutputTokens }),
    async ask() {
      return { state: 'cancelled' };
    },
    async judge(call) {
      rules.judged(call);
      const verdict = options.judge?.(call) ?? { decision: 'allow', input: call.input };
      if (verdict.decision === 'allow') judged.add(call.id);
      return verdict;
    },
    async ended(outcome) {
      endings.push(outcome);
    },
    tools: {
      list: () => specs,
      call,
      async run(asked) {
        if (judged.delete(asked.id)) {
          rules.ran(asked);
          calls.push(asked);
          return runTool(asked, controller.signal);
        }
        rules.breached(`ran ${asked.name} without a decision`);
        return { toolCallId: asked.id, tool: asked.name, text: 'Nobody has decided on it.', isError: true };
      },
    },
  };
  return host;
}

export const suiteTools: ToolSpec[] = [
  {
    name: 'mcp__suite__echo',
    description: 'Says the text back.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  { name: 'mcp__suite__fail', description: 'Always fails.', inputSchema: noInput() },
  { name: 'mcp__suite__wait', description: 'Waits until it is told to stop.', inputSchema: noInput() },
];

const EchoInput = z.strictObject({ text: z.string() });

/** Answers as the toolbox does: a failure is an outcome the model can read. */
export async function runSuiteTool(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome> {
  const settle = (text: string, isError: boolean, output?: unknown): ToolOutcome => ({
    toolCallId: call.id,
    tool: call.name,
    text,
    isError,
    ...(output !== undefined && { output }),
  });
  switch (call.name) {
    case 'mcp__suite__echo': {
      const input = EchoInput.safeParse(call.input);
      if (!input.success) return settle(`Invalid input: ${z.prettifyError(input.error)}`, true);
      return settle(JSON.stringify(input.data), false, input.data);
    }
    case 'mcp__suite__fail':
      return settle('the suite said no', true);
    case 'mcp__suite__wait':
      await pause(60_000, signal);
      return settle('It was told to stop.', true);
    default:
      return settle(`There is no tool named ${call.name}.`, true);
  }
}

function noInput(): Record<string, unknown> {
  return { type: 'object', properties: {}, additionalProperties: false };
}
