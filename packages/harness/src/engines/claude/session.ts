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
import { toExitFailure } from './events/failures.ts';
import { newPromptId } from './lib/prompt-id.ts';
import { withTimeout } from './lib/with-timeout.ts';
import { createConversationState } from './process/conversation-state.ts';
import type { RunningCli } from './process/running-cli.ts';
import { createSessionProcess, type Running, type SessionProcessDeps } from './process/session-process.ts';
import { type End, type OpenTurn, openTurn } from './process/turn.ts';
import { toContinuation } from './transcripts/continuation.ts';
import { createMeter } from './transcripts/transcript-cost.ts';
import { readTranscriptFacts } from './transcripts/transcript-file.ts';

/** An interrupted CLI says that it has stopped; one that does not is ended. */
const stopTimeoutMs = 1_200;

export interface SessionDeps extends SessionProcessDeps {
  /** Where the CLI keeps its transcripts. */
  configFolder: string;
}

export interface ClaudeSession extends EngineSession {
  /** Starts the process before the first turn. */
  warm(): void;
}

export function createClaudeSession(deps: SessionDeps, spec: EngineSpec): ClaudeSession {
  const conversation = createConversationState(spec.resume, deps.configFolder);
  const meter = createMeter();
  const own = createSessionProcess(deps, { spec, conversation, meter });
  let stopTurn = () => {};
  let closed = false;

  async function toMessage(input: TurnInput) {
    if (input.kind === 'message') return { content: input.content };
    // Of a fork that was not talked to yet, the one that it goes on from.
    const file = (await conversation.transcript()) ?? (await conversation.forkedTranscript());
    return toContinuation(
      conversation.state(),
      input.settled,
      file ? await readTranscriptFacts(file) : undefined,
    );
  }

  function openOn(
    { cli, translation }: Running,
    host: EngineHost,
    onEntry: (uuid: string) => void,
  ): OpenTurn {
    const onToken = (seen: string) => {
      if (seen === conversation.token()) return;
      conversation.name(seen);
      conversation.save(host);
    };
    const onUngated = (tool: string) => own.endForeign(`it ran ${tool} without asking Toolyard`);
    const open = openTurn(host, translation, { onToken, onEntry, onUngated });
    own.serve(open, cli);
    return open;
  }

  async function drive(input: TurnInput, host: EngineHost, signal: AbortSignal): Promise<TurnOutcome> {
    const message = await toMessage(input);
    if (!message) return { outcome: 'completed' };
    if (signal.aborted) return { outcome: 'interrupted' };
    const started = await untilAborted(own.ensure(), signal);
    if (!started || signal.aborted) return { outcome: 'interrupted' };
    const { cli } = started;
    await cli.beginTurn();
    let lastUuid = conversation.state().lastUuid;
    const open = openOn(started, { ...host, signal }, (uuid) => {
      lastUuid = uuid;
    });
    await untilAborted(own.follow(await host.mode(), cli), signal);
    if (signal.aborted) return stop(cli, open);
    const known = 'uuid' in message ? message.uuid : undefined;
    const uuid = cli.inbox.send(message.content, known ?? newPromptId(spec.sessionId));
    if (input.kind === 'message') conversation.change({ message: { uuid, content: input.content } });
    conversation.change({ answered: false });
    conversation.save(host, [{ message: uuid }]);
    if (cli.hasExited()) open.onExit(await cli.exited);
    const ended = await untilAborted(open.ended, signal);
    if (!ended) return stop(cli, open);
    if ('tail' in ended) {
      // It had died before it heard of this turn: nothing has happened yet.
      const again = input.kind === 'message' ? { kind: 'continue' as const, settled: [] } : input;
      if (!ended.silent && !open.hasBegun()) return drive(again, host, signal);
      open.emitUncounted();
      return { outcome: 'failed', error: toExitFailure(ended) };
    }
    // Only a turn that has ended is in the transcript for sure: a CLI that is killed has not written all it said.
    if (lastUuid) conversation.change({ lastUuid });
    return finish(ended, host);
  }

  async function stop(cli: RunningCli, open: OpenTurn): Promise<TurnOutcome> {
    const changed = cli.interrupt().then(
      () => open.ended,
      () => open.ended,
    );
    // What a command has left running ends only with the process; the next turn resumes.
    const ended = await withTimeout(stopTimeoutMs, changed);
    if (!ended || open.hasRunCommands()) await own.end();
    open.emitUncounted();
    // What it counted is this turn's, whose usage is in the log; the next one must not be charged with it.
    if (ended && 'outcome' in ended) meter.charge(ended.totalCostUsd);
    return { outcome: 'interrupted' };
  }

  function finish({ outcome, totalCostUsd }: End, host: EngineHost): TurnOutcome {
    const answered = outcome.outcome === 'completed';
    if (answered) conversation.dropMessage();
    conversation.change({ answered });
    conversation.save(host);
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
      if (thrown instanceof ToolyardError && thrown.code === 'session_gone') conversation.save(host);
      return { outcome: 'failed', error: toFailure(thrown) };
    } finally {
      host.signal.removeEventListener('abort', stopTurn);
      await own.release();
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
