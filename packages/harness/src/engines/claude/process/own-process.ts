// The CLI of one session, while it has one: started or resumed when a turn needs it, hot between turns, and taken away
// then when there is no room. What it says goes to the turn that is being served.
import type { EngineSpec } from '@toolyard/sdk';
import { createTranslation, type Translation } from '../events/translate.ts';
import { toModel } from '../gate/options.ts';
import { fieldsAt, isFields, textAt } from '../lib/foreign.ts';
import { isPromptOf } from '../lib/prompt-id.ts';
import { within } from '../lib/within.ts';
import type { createMeter } from '../transcripts/transcript-cost.ts';
import type { HotPool } from './hot.ts';
import type { Leaving } from './leaving.ts';
import type { Live } from './live.ts';
import type { Memory } from './memory.ts';
import type { Starter } from './starter.ts';
import type { OpenTurn } from './turn.ts';

/** One that does not do as it is told between turns is ended. */
const obeyWithinMs = 5_000;
const strangerSpoke = 'another session of Claude spoke to it, which is not let in';

export interface OwnProcessDeps {
  starter: Starter;
  hot: HotPool;
  leaving: Leaving;
}

export interface Running {
  live: Live;
  translation: Translation;
}

interface Conversation {
  spec: EngineSpec;
  memory: Memory;
  meter: ReturnType<typeof createMeter>;
}

export function createOwnProcess(deps: OwnProcessDeps, { spec, memory, meter }: Conversation) {
  const { starter, hot, leaving } = deps;
  const owner = {};
  let model = spec.model;
  let mode: 'default' | 'plan' = 'default';
  let running: Promise<Running> | undefined;
  let served: { turn: OpenTurn; live: Live } | undefined;
  let isHeld = false;

  async function start(): Promise<Running> {
    const token = memory.token();
    if (token) await leaving.left(token);
    const known = await memory.transcript();
    const { fork: from, lastUuid } = memory.state();
    const fork = known ? undefined : from;
    const begunFrom = fork ? await memory.forkedTranscript() : known;
    const isGone = fork ? !begunFrom : !known && lastUuid;
    if (token && isGone) throw memory.forget(token);
    // Others may have gone on meanwhile, and a process that was killed has noted nothing: only the file knows. A fork
    // counts on from what the other conversation has cost.
    await meter.begin(begunFrom, fork?.token ?? token);
    const translation = createTranslation();
    const { live, token: given } = await starter.start({
      spec: { ...spec, model },
      ...(token && { token, resume: known !== undefined, ...(fork && { fork }) }),
      current: () => served?.turn,
      listen: async (message) =>
        isStrangers(spec.sessionId, message) ? expel(strangerSpoke) : served?.turn.take(message),
    });
    memory.name(given);
    mode = 'default';
    return { live, translation };
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
      if (served?.live === live) served.turn.lose(gone);
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
    hot.gone(owner);
    const left = ending?.then(({ live }) => live.close()).catch(() => {});
    const token = memory.token();
    if (token && left) leaving.add(token, left);
    await left;
  }

  /** It does what it must not, or what it says is no answer to our person. */
  function expel(why: string): void {
    served?.turn.lose({ tail: '', error: new Error(why) });
    void end().catch(() => {});
  }

  /** Between turns it may be taken away. */
  function rest(): void {
    if (running && !isHeld) hot.idle(owner, () => void end().catch(() => {}));
  }

  return {
    ensure,
    end,
    expel,
    /** Starts it before the first turn. Whatever fails now will fail again, and be told, in the turn. */
    warm: () => void ensure().then(rest, () => {}),
    /** A turn is under way. */
    hold(): void {
      isHeld = true;
    },
    serve(turn: OpenTurn, live: Live): void {
      served = { turn, live };
    },
    release(): void {
      served = undefined;
      isHeld = false;
      rest();
    },
    /** The CLI plans when the session does; in all else its mode is the one that asks. */
    async follow(wanted: string, live: Live): Promise<void> {
      const next = wanted === 'plan' ? 'plan' : 'default';
      // It has left plan mode by itself if a plan was approved, so that it is told to plan each time.
      if (next === 'default' && mode === 'default') return;
      // One that does not take it is no good for this turn.
      await live.query.setPermissionMode(next).then(
        () => {
          mode = next;
        },
        () => live.close(),
      );
    },
    async setModel(next: string): Promise<void> {
      model = next;
      const started = await running?.catch(() => undefined);
      const told = started?.live.query.setModel(toModel(next)).then(() => true);
      // One that does not take it makes room for one that starts with it.
      if (told && !(await within(obeyWithinMs, told).catch(() => false))) await end();
    },
    contextUsage: async () => (await running?.catch(() => undefined))?.live.contextUsage(),
  };
}

/** Is the CLI at work on a message that we did not send, but another session of the same user, or the CLI itself? */
export function isStrangers(sessionId: string, message: unknown): boolean {
  if (!isFields(message)) return false;
  if (message.type === 'result') return fieldsAt(message, 'origin').kind === 'peer';
  if (message.type !== 'command_lifecycle' || message.state !== 'started') return false;
  return !isPromptOf(sessionId, textAt(message, 'command_uuid') ?? '');
}
