// One conversation with the real CLI: its process started, resumed or reused, one turn after the other. Never rejects.
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
import { type SessionState, toContinuation, toState } from './continuation.ts';
import { sessionGone, toGoneFailure } from './failures.ts';
import type { HotPool } from './hot.ts';
import type { Leaving } from './leaving.ts';
import type { Live } from './live.ts';
import { toModel } from './options.ts';
import { newPromptId } from './prompt-id.ts';
import type { Starter } from './starter.ts';
import { isStrangers } from './stranger.ts';
import { createMeter } from './transcript-cost.ts';
import { findTranscript, readTranscriptFacts } from './transcript-file.ts';
import { createTranslation, type Translation } from './translate.ts';
import { type End, type OpenTurn, openTurn } from './turn.ts';
import { within } from './within.ts';

/** An interrupted CLI says that it has stopped; one that does not is ended. */
const stopWithinMs = 1_200;
/** So is one that does not do as it is told between turns. */
const obeyWithinMs = 5_000;
const strangerSpoke = 'another session of Claude spoke to it, which is not let in';

export interface SessionDeps {
  starter: Starter;
  hot: HotPool;
  leaving: Leaving;
  /** Where the CLI keeps its transcripts. */
  configFolder: string;
}

interface Running {
  live: Live;
  translation: Translation;
}

export interface ClaudeSession extends EngineSession {
  /** Starts the process before the first turn. Whatever fails now will fail again, and be told, in the turn. */
  warm(): void;
}

export function createClaudeSession(deps: SessionDeps, spec: EngineSpec): ClaudeSession {
  const { starter, hot, leaving, configFolder } = deps;
  const owner = {};
  let stopTurn = () => {};
  let closed = false;
  let state = toState(spec.resume?.state);
  let token = spec.resume?.token === state.forgotten ? undefined : spec.resume?.token;
  let model = spec.model;
  let mode: 'default' | 'plan' = 'default';
  let running: Promise<Running> | undefined;
  let turn: { open: OpenTurn; live: Live } | undefined;
  let prompting = false;
  const meter = createMeter();

  /** Between turns the process may be taken away. */
  function rest(): void {
    if (running && !prompting) hot.idle(owner, () => void end().catch(() => {}));
  }

  function ensure(): Promise<Running> {
    hot.busy(owner);
    running ??= begin();
    return running;
  }

  function begin(): Promise<Running> {
    const beginning = start();
    const release = () => {
      if (running !== beginning) return;
      running = undefined;
      hot.gone(owner);
    };
    beginning.then(async ({ live }) => {
      const gone = await live.gone;
      release();
      if (turn?.live === live) turn.open.lose(gone);
    }, release);
    return beginning;
  }

  async function start(): Promise<Running> {
    if (token) await leaving.left(token);
    const known = token && (await findTranscript(configFolder, token));
    const fork = known ? undefined : state.fork;
    const isGone = fork ? !(await findTranscript(configFolder, fork.token)) : !known && state.lastUuid;
    if (token && isGone) throw forget(token);
    // Others may have gone on meanwhile, and a process that was killed has noted nothing: only the file knows.
    await meter.begin(known, token);
    const translation = createTranslation();
    const { live, token: id } = await starter.start({
      spec: { ...spec, model },
      ...(token && { token, resume: known !== undefined, ...(fork && { fork }) }),
      current: () => turn?.open,
      listen: async (message) =>
        isStrangers(spec.sessionId, message) ? expel(strangerSpoke) : turn?.open.take(message),
    });
    token = id;
    mode = 'default';
    return { live, translation };
  }

  /** The CLI no longer has the conversation. The log does; the next message begins a new one. */
  function forget(gone: string): ToolyardError {
    state = toState({ forgotten: gone });
    token = undefined;
    const { code, message } = sessionGone();
    return new ToolyardError(code, message);
  }

  /** It does what it must not, or what it says is no answer to our person. */
  function expel(why: string): void {
    turn?.open.lose({ tail: '', error: new Error(why) });
    void end().catch(() => {});
  }

  /** Ends the process; the next turn starts another one and resumes. */
  async function end(): Promise<void> {
    const ending = running;
    running = undefined;
    hot.gone(owner);
    const left = ending?.then(({ live }) => live.close()).catch(() => {});
    if (token && left) leaving.add(token, left);
    await left;
  }

  async function toMessage(input: TurnInput) {
    if (input.kind === 'message') return { content: input.content };
    const file = await findOwnTranscript();
    return toContinuation(state, input.settled, file ? await readTranscriptFacts(file) : undefined);
  }

  /** Of a fork that was not talked to yet, the one that it goes on from. */
  async function findOwnTranscript(): Promise<string | undefined> {
    const own = token && (await findTranscript(configFolder, token));
    return own || !state.fork ? own : findTranscript(configFolder, state.fork.token);
  }

  async function drive(input: TurnInput, host: EngineHost, signal: AbortSignal): Promise<TurnOutcome> {
    const message = await toMessage(input);
    if (!message) return { outcome: 'completed' };
    if (signal.aborted) return { outcome: 'interrupted' };
    const started = await untilAborted(ensure(), signal);
    if (!started || signal.aborted) return { outcome: 'interrupted' };
    const { live } = started;
    let newest = state.lastUuid;
    const open = openOn(started, { ...host, signal }, (uuid) => {
      newest = uuid;
    });
    await untilAborted(follow(await host.mode(), live), signal);
    if (signal.aborted) return stop(live, open);
    const known = 'uuid' in message ? message.uuid : undefined;
    const uuid = live.inbox.send(message.content, known ?? newPromptId(spec.sessionId));
    if (input.kind === 'message') state = { ...state, message: { uuid, content: input.content } };
    save(host, { answered: false }, [{ message: uuid }]);
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
    state = { ...state, lastUuid: newest };
    return finish(ended, host);
  }

  function openOn(
    { live, translation }: Running,
    host: EngineHost,
    onEntry: (uuid: string) => void,
  ): OpenTurn {
    const onToken = (seen: string) => {
      if (seen === token) return;
      token = seen;
      save(host, {});
    };
    const onUngated = (tool: string) => expel(`it ran ${tool} without asking, which its gate must not allow`);
    const open = openTurn(host, translation, { onToken, onEntry, onUngated });
    turn = { open, live };
    return open;
  }

  /** The CLI plans when the session does; in all else its mode is the one that asks. */
  async function follow(wanted: string, live: Live): Promise<void> {
    const next = wanted === 'plan' ? 'plan' : 'default';
    if (next === mode) return;
    // One that does not take it is no good for this turn.
    const set = live.query.setPermissionMode(next);
    await set.then(
      () => {
        mode = next;
      },
      () => live.close(),
    );
  }

  async function stop(live: Live, open: OpenTurn): Promise<TurnOutcome> {
    const told = live.interrupt().then(
      () => open.ended,
      () => open.ended,
    );
    // What a command has left running ends only with the process; the next turn resumes.
    const ended = await within(stopWithinMs, told);
    if (!ended || open.hasRunCommands()) await end();
    open.tellUncounted();
    // What it counted is this turn's, whose usage is in the log; the next one must not be charged with it.
    if (ended && 'outcome' in ended) meter.charge(ended.totalCostUsd);
    return { outcome: 'interrupted' };
  }

  function finish({ outcome, totalCostUsd }: End, host: EngineHost): TurnOutcome {
    const answered = outcome.outcome === 'completed';
    // An answered message will not be sent again; it may be large.
    if (answered) delete state.message;
    save(host, { answered });
    return { ...outcome, ...meter.charge(totalCostUsd) };
  }

  function save(host: EngineHost, change: Partial<SessionState>, append?: unknown[]): void {
    state = { ...state, ...change };
    host.checkpoint({ ...(token && { token }), state, ...(append && { append }) }).catch(() => {});
  }

  return {
    warm: () => void ensure().then(rest, () => {}),
    async prompt(input, host) {
      if (closed || host.signal.aborted) return { outcome: 'interrupted' };
      const stopping = new AbortController();
      stopTurn = () => stopping.abort();
      host.signal.addEventListener('abort', stopTurn, { once: true });
      prompting = true;
      try {
        return await drive(input, host, stopping.signal);
      } catch (thrown) {
        if (stopping.signal.aborted) return { outcome: 'interrupted' };
        if (thrown instanceof ToolyardError && thrown.code === 'session_gone') save(host, {});
        return { outcome: 'failed', error: toFailure(thrown) };
      } finally {
        host.signal.removeEventListener('abort', stopTurn);
        turn = undefined;
        prompting = false;
        rest();
      }
    },
    async close() {
      closed = true;
      stopTurn();
      await end();
    },
    async setModel(next) {
      model = next;
      const started = await running?.catch(() => undefined);
      const told = started?.live.query.setModel(toModel(next)).then(() => true);
      // One that does not take it makes room for one that starts with it.
      if (told && !(await within(obeyWithinMs, told).catch(() => false))) await end();
    },
    contextUsage: async () => (await running?.catch(() => undefined))?.live.contextUsage(),
  };
}
