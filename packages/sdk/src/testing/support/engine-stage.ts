// Where one conformance case plays: opens engine sessions, drives turns under a deadline, and fails the case on any
// breach of the turn's rules.
import type {
  Engine,
  EngineSession,
  Resume,
  ToolOutcome,
  TurnInput,
  TurnOutcome,
} from '../../engine/engine.ts';
import { pause } from '../../lib/wait.ts';
import { assertEqual, within } from './assertions.ts';
import {
  createJournal,
  createRecordingHost,
  type Journal,
  type RecordingHost,
  type RecordingHostOptions,
  suiteTools,
} from './recording-host.ts';

/** What the suite needs of whoever runs it: one engine and one scripted model per case. */
export interface EngineWorld {
  start(): Promise<{ engine: Engine; model: string; close(): Promise<void> }>;
}

/** A turn that was let run to its end. */
export interface PlayedTurn {
  outcome: TurnOutcome;
  host: RecordingHost;
  text: string;
  thinking: string;
}

/** A turn under way. */
export interface RunningTurn {
  host: RecordingHost;
  /** Waits until `holds` says so of the host; a turn that ends before then fails the case. */
  until(what: string, holds: (host: RecordingHost) => boolean): Promise<void>;
  /** Resolves when the engine's `prompt` does, with the rules checked. */
  end(timeoutMs?: number): Promise<PlayedTurn>;
}

export interface Stage {
  readonly journal: Journal;
  open(options?: { resume?: Resume; maxSteps?: number }): Promise<EngineSession>;
  begin(session: EngineSession, input: TurnInput | string, options?: RecordingHostOptions): RunningTurn;
  /** Begins a turn and lets it end. */
  play(
    session: EngineSession,
    input: TurnInput | string,
    options?: RecordingHostOptions,
  ): Promise<PlayedTurn>;
  close(): Promise<void>;
}

/** One promise of the Engine port and how it is put to the test; `play` rejects when it is broken. */
export interface EngineCase {
  title: string;
  play(stage: Stage): Promise<unknown>;
}

/** The longest any turn of the suite may take; the model behind it must answer faster. */
const turnDeadlineMs = 25_000;
/** How soon an aborted turn must have ended. */
export const promptlyMs = 2_000;
/** How long a turn that has ended is watched for stragglers. */
const stragglersMs = 25;

export async function openStage(world: EngineWorld): Promise<Stage> {
  const { engine, model, close } = await world.start();
  const journal = createJournal();
  const sessions: EngineSession[] = [];

  const stage: Stage = {
    journal,
    async open({ resume, maxSteps = 20 } = {}) {
      const session = await engine.start({
        sessionId: 'ses_conformance',
        model,
        instructions: 'You are being tested.',
        cwd: '/',
        maxSteps,
        tools: suiteTools,
        nativeTools: engine.nativeTools.map(({ name }) => name),
        ...(resume && { resume }),
      });
      sessions.push(session);
      return session;
    },
    begin: (session, input, options) =>
      beginTurn(session, toInput(input), createRecordingHost({ journal, ...options })),
    play: (session, input, options) => stage.begin(session, input, options).end(),
    async close() {
      await within(turnDeadlineMs, 'closing', Promise.all(sessions.map((session) => session.close())));
      await close();
    },
  };
  return stage;
}

function beginTurn(session: EngineSession, input: TurnInput, host: RecordingHost): RunningTurn {
  const turn = session.prompt(input, host);
  let ended = false;
  const end = () => {
    ended = true;
  };
  // A case that fails early leaves the turn behind; its rejection then has no other reader.
  turn.then(end, end);
  return {
    host,
    async until(what, holds) {
      const deadline = Date.now() + turnDeadlineMs;
      while (!holds(host)) {
        if (ended || Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
        await pause(5);
      }
    },
    end: (timeoutMs = turnDeadlineMs) => endTurn(turn, host, timeoutMs),
  };
}

async function endTurn(
  turn: Promise<TurnOutcome>,
  host: RecordingHost,
  timeoutMs: number,
): Promise<PlayedTurn> {
  const outcome = await within(timeoutMs, 'the turn', turn);
  host.end(outcome);
  await pause(stragglersMs);
  assertEqual(host.breaches, [], 'breaches of the turn’s rules');
  // What a turn cost is not the suite's business.
  const { costUsd: _, ...bare } = outcome;
  return {
    outcome: bare,
    host,
    text: joinText(host, 'text_delta'),
    thinking: joinText(host, 'thinking_delta'),
  };
}

function joinText(host: RecordingHost, type: 'text_delta' | 'thinking_delta'): string {
  return host.events.map((event) => (event.type === type ? event.data.text : '')).join('');
}

function toInput(input: TurnInput | string): TurnInput {
  return typeof input === 'string' ? { kind: 'message', content: input } : input;
}

/** Has the model begun to speak? */
export function hasText({ events }: RecordingHost): boolean {
  return events.some((event) => event.type === 'text_delta');
}

/** A tool runner that never answers, as when the server dies in the middle of a call. */
export function neverSettles(): Promise<ToolOutcome> {
  return new Promise(() => {});
}
