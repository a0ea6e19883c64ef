// While a turn waits behind an earlier one of its session: says so, and what that one waits for.
import { pause } from '@toolyard/sdk';
import { sayHowToAnswer } from '../asking/desk.ts';
import { sayHowToAnswerQuestion } from '../asking/question-card.ts';
import type { Link } from '../connection/link.ts';
import type { Following } from './follow.ts';
import type { TurnView } from './turn-view.ts';

const firstLookMs = 1_000;
const lookEveryMs = 3_000;

/** Tells until `begun` aborts. */
export function tellOfQueue(link: Link, turn: Following, view: TurnView, begun: AbortSignal): void {
  const told = new Set<string>();
  const tell = (id: string, text: string) => {
    if (!told.has(id) && !begun.aborted) view.line(text);
    told.add(id);
  };
  const look = async () => {
    for (await pause(firstLookMs, begun); !begun.aborted; await pause(lookEveryMs, begun)) {
      const { status } = await link.ask((client) => client.sessions.get(turn.sessionId));
      if (status === 'idle') continue;
      tell('first', 'It is queued: an earlier turn of this session, or other agents, come first.');
      for (const { id, text } of await findWaiting(link, turn)) tell(id, text);
    }
  };
  // Whoever follows the turn says when the server is gone.
  look().catch(() => {});
}

/** What others in the session wait for. */
async function findWaiting(
  link: Link,
  { sessionId, turnId }: Following,
): Promise<{ id: string; text: string }[]> {
  const query = { state: 'pending', sessionId };
  const approvals = await link.ask((client) => client.approvals.list(query));
  const questions = await link.ask((client) => client.questions.list(query));
  const isOther = (asked: { turnId: string }) => asked.turnId !== turnId;
  return [
    ...approvals.items.filter(isOther).map((each) => ({ id: each.id, text: sayHowToAnswer(each) })),
    ...questions.items.filter(isOther).map((each) => ({ id: each.id, text: sayHowToAnswerQuestion(each) })),
  ];
}
