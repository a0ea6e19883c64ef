// Follows one turn to its end, across lost connections and restarts. Shows each event once; Ctrl-C interrupts the turn.
import { createTurnFilter, type Event, isBrokenLine, pause } from '@toolyard/sdk';
import type { ServerLink } from '../connection/server-link.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import type { TurnView } from './turn-view.ts';

/** Give up after this many lost connections in a row without a new event. */
const maxBreaks = 5;

export interface FollowedTurn {
  sessionId: string;
  turnId: string;
  /** Number of the last event before the turn. */
  after: number;
}

export interface FollowOptions {
  view: TurnView;
  /** Called for every event of this turn, and of no other. */
  onEvent(event: Event): void;
  /** Stops following; the turn keeps running. */
  signal: AbortSignal;
}

export interface FollowResult {
  end: Event<'turn_end'>;
  /** The person at this terminal asked for it. */
  interrupted: boolean;
}

/** The turn's end; `undefined` when the signal aborts before it. */
export async function followTurn(
  link: ServerLink,
  turn: FollowedTurn,
  { view, onEvent, signal }: FollowOptions,
): Promise<FollowResult | undefined> {
  const interrupt = createInterrupt(link, turn, view);
  const isPartOf = createTurnFilter(turn.turnId);
  try {
    for await (const event of readEvents(link, turn, { view, signal })) {
      if (event.type === 'turn_start' && event.data.turnId === turn.turnId) interrupt.begin();
      const isOurs = isPartOf(event);
      if (view.showsAll || isOurs) view.show(event);
      if (isOurs) onEvent(event);
      if (event.type === 'turn_end' && event.data.turnId === turn.turnId) {
        return { end: event, interrupted: interrupt.wasAsked() };
      }
    }
    if (signal.aborted) return undefined;
    throw new Error('the log ended before the turn did');
  } finally {
    interrupt.stop();
  }
}

async function* readEvents(
  link: ServerLink,
  { sessionId, after }: FollowedTurn,
  { view, signal }: Pick<FollowOptions, 'view' | 'signal'>,
): AsyncGenerator<Event> {
  let seen = after;
  for (let breaks = 0; !signal.aborted; ) {
    try {
      const reading = { after: seen, patienceMs: 0, signal };
      for await (const event of link.client.sessions.events(sessionId, reading)) {
        seen = event.seq;
        breaks = 0;
        yield event;
      }
    } catch (thrown) {
      breaks++;
      if (!isBrokenLine(thrown) || breaks > maxBreaks) throw thrown;
      view.notice('Lost the connection to the server. Reconnecting…');
      await pause(200 * (breaks - 1), signal);
      await link.reconnect();
      view.notice('Reconnected.');
    }
  }
}

/** Ctrl-C interrupts only our turn: before it has begun, the interrupt waits. */
function createInterrupt(link: ServerLink, { sessionId }: FollowedTurn, view: TurnView) {
  let begun = false;
  let asked = false;
  const send = () => {
    link
      .ask((client) => client.sessions.interrupt(sessionId))
      .catch(() => {
        view.notice('The turn could not be interrupted. Ctrl-C again leaves it running.');
      });
  };
  const stop = onInterrupt({
    first() {
      asked = true;
      view.notice('Interrupting the turn… Ctrl-C again leaves it running.');
      if (begun) send();
    },
    second: () => process.exit(130),
  });
  return {
    stop,
    wasAsked: () => asked,
    begin() {
      begun = true;
      if (asked) send();
    },
  };
}
