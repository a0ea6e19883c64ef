// What became of an approval: the answer, who gave it and from where.
import type { Actor, ApprovalState, Scope } from '@toolyard/sdk';
import { Ban, Check, Clock, X } from 'lucide-react';
import { formatDecision, nameActor } from '../decision-cards/format-decision.ts';
import { Time } from '../parts/time.tsx';
import { useActorNames } from '../queries/actor-names.ts';

export interface DecisionLineProps {
  decided: {
    state: ApprovalState;
    scope?: Scope | undefined;
    decidedBy?: Actor | undefined;
    decidedAt?: string | undefined;
  };
}

const marks = {
  pending: { Icon: Clock, classes: 'text-warn' },
  allowed: { Icon: Check, classes: 'text-good' },
  denied: { Icon: X, classes: 'text-bad' },
  expired: { Icon: Clock, classes: 'text-warn' },
  cancelled: { Icon: Ban, classes: 'text-faint' },
};

export function DecisionLine({ decided }: DecisionLineProps) {
  const { Icon, classes } = marks[decided.state];
  const nameOf = useActorNames();
  return (
    <span
      title={decided.decidedBy && nameActor(decided.decidedBy)}
      className="inline-flex items-center gap-1.5 text-13 text-soft"
    >
      <Icon className={`size-3.5 shrink-0 ${classes}`} aria-hidden="true" />
      {formatDecision(decided, nameOf)}
      {decided.decidedAt && <Time at={decided.decidedAt} className="text-faint" />}
    </span>
  );
}
