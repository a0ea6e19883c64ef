// One conversation with the real CLI, one turn after the other. Never rejects.
import {
  type EngineHost,
  type EngineSession,
  type EngineSpec,
  ToolyardError,
  type TurnInput,
  type TurnOutcome,
  toFailure,
  untilAborted,
} from '@toolyard/sdk';
import { toGoneFailure } from './events/failures.ts';
import { newPromptId } from './lib/prompt-id.ts';
import { within } from './lib/within.ts';
import type { Live } from './process/live.ts';
import { createMemory } from './process/memory.ts';
import { createOwnProcess, type OwnProcessDeps, type Running } from './process/own-process.ts';
import { type End, type OpenTurn, openTurn } from './process/turn.ts';
import { toContinuation } from './transcripts/continuation.ts';
import { createMeter } from './transcripts/transcript-cost.ts';
import { readTranscriptFacts } from './transcripts/transcript-file.ts';

/** An interrupted CLI says that it has stopped; one that does not is ended. */
const stopWithinMs = 1_200;

export interface SessionDeps extends OwnProcessDeps {
  /** Where the CLI keeps its transcripts. */
  configFolder: string;
}

export interface ClaudeSession extends EngineSession {
  /** Starts the process before the first turn. */
  warm(): void;
}

export function createClaudeSession(deps: SessionDeps, spec: EngineSpec): ClaudeSession {
  const memory = createMemory(spec.resume, deps.configFolder);
  const meter = createMeter();
  const own = createOwnProcess(deps, { spec, memory, meter });
  let stopTurn = () => {};
  let closed = false;

  async function toMessage(input: TurnInput) {
    if (input.kind === 'message') return { content: input.content };
    // Of a fork that was not talked to yet, the one that it goes on from.
    const file = (await memory.transcript()) ?? (await memory.forkedTranscript());
    return toContinuation(memory.state(), input.settled, file ? await readTranscriptFacts(file) : undefined);
  }

  function openOn(
    { live, translation }: Running,
    host: EngineHost,
    onEntry: (uuid: string) => void,
  ): OpenTurn {
    const onToken = (seen: string) => {
      if (seen === memory.token()) return;
      memory.name(seen);
      memory.save(host);
    };
    const onUngated = (tool: string) =>
      own.expel(`it ran ${tool} without asking, which its gate must not allow`);
    const open = openTurn(host, translation, { onToken, onEntry, onUngated });
    own.serve(open, live);
    return open;
  }

  async function drive(input: TurnInput, host: EngineHost, signal: AbortSignal): Promise<TurnOutcome> {
    const message = await toMessage(input);
    if (!message) return { outcome: 'completed' };
    if (signal.aborted) return { outcome: 'interrupted' };
    const started = await untilAborted(own.ensure(), signal);
    if (!started || signal.aborted) return { outcome: 'interrupted' };
    const { live } = started;
    let newest = memory.state().lastUuid;
    const open = openOn(started, { ...host, signal }, (uuid) => {
      newest = uuid;
    });
    await untilAborted(own.follow(await host.mode(), live), signal);
    if (signal.aborted) return stop(live, open);
    const known = 'uuid' in message ? message.uuid : undefined;
    const uuid = live.inbox.send(message.content, known ?? newPromptId(spec.sessionId));
    if (input.kind === 'message') memory.change({ message: { uuid, content: input.content } });
    memory.change({ answered: false });
    memory.save(host, [{ message: uuid }]);
    if (live.isGone()) open.lose(await live.gone);
    const ended = await untilAborted(open.ended, signal);
    if (!ended) return stop(live, open);
    if ('tail' in ended) {
      // It had died before it heard of this turn: nothing has happened yet.
      const again = input.kind === 'message' ? { kind: 'continue' as const, settled: [] } : input;
      if (!ended.silent && !open.hasBegun()) return drive(again, host, signal);
      open.tellUncounted();
      return { outcome: 'failed', error: toGoneFailure(ended) };
    }
    // Only a turn that has ended is in the transcript for sure: a CLI that is killed has not written all it said.
    if (newest) memory.change({ lastUuid: newest });
    return finish(ended, host);
  }

  async function stop(live: Live, open: OpenTurn): Promise<TurnOutcome> {
    const told = live.interrupt().then(
      () => open.ended,
      () => open.ended,
    );
    // What a command has left running ends only with the process; the next turn resumes.
    const ended = await within(stopWithinMs, told);
    if (!ended || open.hasRunCommands()) await own.end();
    open.tellUncounted();
    // What it counted is this turn's, whose usage is in the log; the next one must not be charged with it.
    if (ended && 'outcome' in ended) meter.charge(ended.totalCostUsd);
    return { outcome: 'interrupted' };
  }

  function finish({ outcome, totalCostUsd }: End, host: EngineHost): TurnOutcome {
    const answered = outcome.outcome === 'completed';
    if (answered) memory.dropMessage();
    memory.change({ answered });
    memory.save(host);
    return { ...outcome, ...meter.charge(totalCostUsd) };
  }

  async function prompt(input: TurnInput, host: EngineHost): Promise<TurnOutcome> {
    if (closed || host.signal.aborted) return { outcome: 'interrupted' };
    const stopping = new AbortController();
    stopTurn = () => stopping.abort();
    host.signal.addEventListener('abort', stopTurn, { once: true });
    own.hold();
    try {
      return await drive(input, host, stopping.signal);
    } catch (thrown) {
      if (stopping.signal.aborted) return { outcome: 'interrupted' };
      if (thrown instanceof ToolyardError && thrown.code === 'session_gone') memory.save(host);
      return { outcome: 'failed', error: toFailure(thrown) };
    } finally {
      host.signal.removeEventListener('abort', stopTurn);
      own.release();
    }
  }

  return {
    prompt,
    warm: own.warm,
    setModel: own.setModel,
    contextUsage: own.contextUsage,
    async close() {
      closed = true;
      stopTurn();
      await own.end();
    },
  };
}
