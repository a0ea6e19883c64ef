// While a turn is queued, tells the person so, and what the earlier turn waits for.
import { pause } from '@toolyard/sdk';
import type { ServerLink } from '../connection/server-link.ts';
import { formatHowToAnswer } from '../decision-prompts/approval-prompt.ts';
import { formatHowToAnswerQuestion } from '../decision-prompts/question-card.ts';
import type { FollowedTurn } from './follow.ts';
import type { TurnView } from './turn-view.ts';

const firstDelayMs = 1_000;
const pollIntervalMs = 3_000;

/** Polls until `begun` aborts. */
export function showQueue(link: ServerLink, turn: FollowedTurn, view: TurnView, begun: AbortSignal): void {
  const shown = new Set<string>();
  const show = (id: string, text: string) => {
    if (!shown.has(id) && !begun.aborted) view.line(text);
    shown.add(id);
  };
  const poll = async () => {
    for (await pause(firstDelayMs, begun); !begun.aborted; await pause(pollIntervalMs, begun)) {
      const { status } = await link.ask((client) => client.sessions.get(turn.sessionId));
      if (status === 'idle') continue;
      show('first', 'The turn is queued behind an earlier turn of this session or other agents.');
      for (const { id, text } of await findWaiting(link, turn)) show(id, text);
    }
  };
  // The command that follows the turn reports a lost server.
  poll().catch(() => {});
}

/** What the other turns of the session wait for. */
async function findWaiting(
  link: ServerLink,
  { sessionId, turnId }: FollowedTurn,
): Promise<{ id: string; text: string }[]> {
  const query = { state: 'pending', sessionId };
  const approvals = await link.ask((client) => client.approvals.list(query));
  const questions = await link.ask((client) => client.questions.list(query));
  const isOther = (asked: { turnId: string }) => asked.turnId !== turnId;
  return [
    ...approvals.items.filter(isOther).map((each) => ({ id: each.id, text: formatHowToAnswer(each) })),
    ...questions.items
      .filter(isOther)
      .map((each) => ({ id: each.id, text: formatHowToAnswerQuestion(each) })),
  ];
}
