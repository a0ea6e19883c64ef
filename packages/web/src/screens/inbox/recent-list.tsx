// What was answered lately: by whom, from where, when. Each leads to its session.
import { Link } from '@tanstack/react-router';
import { toReadable } from '@toolyard/sdk';
import { DecisionLine } from '../../approvals/decision-line.tsx';
import { toInputBrief } from '../../approvals/input-brief.ts';
import type { Asked } from '../../decision-cards/asked.ts';
import { formatQuestionEnd } from '../../decision-cards/format-decision.ts';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Time } from '../../parts/time.tsx';
import { useActorNames } from '../../queries/actor-names.ts';

const maxShown = 40;

export function RecentList({ asked }: { asked: readonly Asked[] }) {
  if (asked.length === 0) return null;
  const newest = asked.toSorted((one, other) => toWhen(other).localeCompare(toWhen(one))).slice(0, maxShown);
  return (
    <section aria-labelledby="recent">
      <h2 id="recent" className="mb-2 text-sm font-semibold text-soft">
        Recently answered
      </h2>
      <ul className="divide-y overflow-hidden rounded-xl border bg-raised">
        {newest.map((one) => (
          <li key={one.id}>
            <RecentRow asked={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function toWhen({ decidedAt, at }: Asked): string {
  return decidedAt ?? at;
}

function RecentRow({ asked }: { asked: Asked }) {
  const sessionId = asked.approval?.sessionId ?? asked.question?.sessionId ?? '';
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
    >
      {asked.approval && (
        <>
          <span className="min-w-40 flex-1 truncate text-sm font-medium">
            <ToolTitle tool={asked.approval.tool} />{' '}
            <span className="font-mono text-xs font-normal text-faint">
              {toInputBrief(asked.approval.input)}
            </span>
          </span>
          <DecisionLine decided={asked.approval} />
        </>
      )}
      {asked.question && <RecentQuestion asked={asked} />}
    </Link>
  );
}

function RecentQuestion({ asked: { question, decidedAt } }: { asked: Asked }) {
  const nameOf = useActorNames();
  if (!question) return null;
  return (
    <>
      <span className="min-w-40 flex-1 truncate text-sm font-medium">{toReadable(question.text)}</span>
      <span className="text-13 text-soft">
        {formatQuestionEnd(question, nameOf)} {decidedAt && <Time at={decidedAt} className="text-faint" />}
      </span>
    </>
  );
}
