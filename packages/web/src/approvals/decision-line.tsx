// What became of an approval: the answer, who gave it and from where.
import type { Actor, ApprovalState, Scope } from '@toolyard/sdk';
import { Ban, Check, Clock, X } from 'lucide-react';
import { nameActor, sayDecision } from '../asking/words.ts';
import { Time } from '../parts/time.tsx';
import { useActorNames } from '../server/people.ts';

export interface DecisionLineProps {
  decided: {
    state: ApprovalState;
    scope?: Scope | undefined;
    decidedBy?: Actor | undefined;
    decidedAt?: string | undefined;
  };
}

const marks = {
  pending: { Icon: Clock, look: 'text-warn' },
  allowed: { Icon: Check, look: 'text-good' },
  denied: { Icon: X, look: 'text-bad' },
  expired: { Icon: Clock, look: 'text-warn' },
  cancelled: { Icon: Ban, look: 'text-faint' },
};

export function DecisionLine({ decided }: DecisionLineProps) {
  const { Icon, look } = marks[decided.state];
  const nameOf = useActorNames();
  return (
    <span
      title={decided.decidedBy && nameActor(decided.decidedBy)}
      className="inline-flex items-center gap-1.5 text-13 text-soft"
    >
      <Icon className={`size-3.5 shrink-0 ${look}`} aria-hidden="true" />
      {sayDecision(decided, nameOf)}
      {decided.decidedAt && <Time at={decided.decidedAt} className="text-faint" />}
    </span>
  );
}
