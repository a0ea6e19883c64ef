// The CLI of one session, while it has one: started or resumed when a turn needs it, hot between turns, and taken away
// then when there is no room. What it says goes to the turn that is being served.
import type { EngineSpec } from '@toolyard/sdk';
import { createTranslation, type Translation } from '../events/translate.ts';
import { toModel } from '../gate/options.ts';
import { isPromptOf } from '../lib/prompt-id.ts';
import { fieldsAt, isFields, textAt } from '../lib/untyped-fields.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { createMeter } from '../transcripts/transcript-cost.ts';
import type { ConversationState } from './conversation-state.ts';
import type { ExitingProcesses } from './exiting-processes.ts';
import type { HotPool } from './hot-pool.ts';
import type { RunningCli } from './running-cli.ts';
import type { Starter } from './starter.ts';
import type { OpenTurn } from './turn.ts';

/** One that does not do as it is told between turns is ended. */
const commandTimeoutMs = 5_000;
const foreignMessageReason = 'another Claude session sent it a message, which is not allowed';

export interface SessionProcessDeps {
  starter: Starter;
  hot: HotPool;
  exitingProcesses: ExitingProcesses;
}

export interface Running {
  cli: RunningCli;
  translation: Translation;
}

interface Conversation {
  spec: EngineSpec;
  conversation: ConversationState;
  meter: ReturnType<typeof createMeter>;
}

export function createSessionProcess(deps: SessionProcessDeps, { spec, conversation, meter }: Conversation) {
  const { starter, hot, exitingProcesses } = deps;
  const owner = {};
  let model = spec.model;
  let mode: 'default' | 'plan' = 'default';
  let running: Promise<Running> | undefined;
  let served: { turn: OpenTurn; cli: RunningCli } | undefined;
  let isHeld = false;

  async function start(): Promise<Running> {
    const token = conversation.token();
    if (token) await exitingProcesses.waitForExit(token);
    const known = await conversation.transcript();
    const { fork: from, lastUuid } = conversation.state();
    const fork = known ? undefined : from;
    const begunFrom = fork ? await conversation.forkedTranscript() : known;
    const isLost = fork ? !begunFrom : !known && lastUuid;
    if (token && isLost) throw conversation.forget(token);
    // Others may have gone on meanwhile, and a process that was killed has noted nothing: only the file knows. A fork
    // counts on from what the other conversation has cost.
    await meter.begin(begunFrom, fork?.token ?? token);
    const translation = createTranslation();
    const { cli, token: given } = await starter.start({
      spec: { ...spec, model },
      ...(token && { token, resume: known !== undefined, ...(fork && { fork }) }),
      current: () => served?.turn,
      listen: async (message) =>
        isForeignMessage(spec.sessionId, message)
          ? endForeign(foreignMessageReason)
          : served?.turn.take(message),
    });
    conversation.name(given);
    mode = 'default';
    return { cli, translation };
  }

  function begin(): Promise<Running> {
    const beginning = start();
    const release = () => {
      if (running !== beginning) return;
      running = undefined;
      hot.remove(owner);
    };
    beginning.then(async ({ cli }) => {
      const exit = await cli.exited;
      release();
      if (served?.cli === cli) served.turn.onExit(exit);
    }, release);
    return beginning;
  }

  function ensure(): Promise<Running> {
    hot.busy(owner);
    running ??= begin();
    return running;
  }

  /** Ends the process; the next turn starts another one and resumes. */
  async function end(): Promise<void> {
    const ending = running;
    running = undefined;
    hot.remove(owner);
    const left = ending?.then(({ cli }) => cli.close()).catch(() => {});
    const token = conversation.token();
    if (token && left) exitingProcesses.add(token, left);
    await left;
  }

  /** It does what it must not, or what it says is no answer to our person. */
  function endForeign(why: string): void {
    served?.turn.onExit({ tail: '', error: new Error(why) });
    void end().catch(() => {});
  }

  /** Between turns it may be taken away. */
  function rest(): void {
    if (running && !isHeld) hot.idle(owner, () => void end().catch(() => {}));
  }

  return {
    ensure,
    end,
    endForeign,
    /** Starts it before the first turn. Whatever fails now will fail again, and be told, in the turn. */
    warm: () => void ensure().then(rest, () => {}),
    /** A turn is under way. */
    hold(): void {
      isHeld = true;
    },
    serve(turn: OpenTurn, cli: RunningCli): void {
      served = { turn, cli };
    },
    async release(): Promise<void> {
      const cli = served?.cli;
      served = undefined;
      await cli?.endTurn();
      isHeld = false;
      rest();
    },
    /** The CLI plans when the session does; in all else its mode is the one that asks. */
    async follow(wanted: string, cli: RunningCli): Promise<void> {
      const next = wanted === 'plan' ? 'plan' : 'default';
      // It has left plan mode by itself if a plan was approved, so that it is told to plan each time.
      if (next === 'default' && mode === 'default') return;
      // One that does not take it is no good for this turn.
      await cli.query.setPermissionMode(next).then(
        () => {
          mode = next;
        },
        () => cli.close(),
      );
    },
    async setModel(next: string): Promise<void> {
      model = next;
      const started = await running?.catch(() => undefined);
      const changed = started?.cli.query.setModel(toModel(next)).then(() => true);
      // One that does not take it makes room for one that starts with it.
      if (changed && !(await withTimeout(commandTimeoutMs, changed).catch(() => false))) await end();
    },
    contextUsage: async () => (await running?.catch(() => undefined))?.cli.contextUsage(),
  };
}

/** Is the CLI at work on a message that we did not send, but another session of the same user, or the CLI itself? */
export function isForeignMessage(sessionId: string, message: unknown): boolean {
  if (!isFields(message)) return false;
  if (message.type === 'result') return fieldsAt(message, 'origin').kind === 'peer';
  if (message.type !== 'command_lifecycle' || message.state !== 'started') return false;
  return !isPromptOf(sessionId, textAt(message, 'command_uuid') ?? '');
}
