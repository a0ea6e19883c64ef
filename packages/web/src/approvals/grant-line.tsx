// Which grant let a call run without a question, and the way to take it back.
import { Link } from '@tanstack/react-router';
import type { ToolItem } from '@toolyard/sdk';
import { KeyRound } from 'lucide-react';
import { sayGrant } from '../asking/words.ts';
import { toShortId } from '../server/people.ts';

export function GrantLine({ grant: { id, scope } }: { grant: NonNullable<ToolItem['grant']> }) {
  return (
    <span className="flex items-start gap-1.5 text-13 text-soft">
      <KeyRound className="mt-0.75 size-3.5 shrink-0 text-good" aria-hidden="true" />
      <span className="min-w-0">
        {sayGrant(scope)}{' '}
        <Link
          to="/settings"
          search={{ tab: 'grants' }}
          title={id}
          className="font-mono text-xs underline decoration-faint/50 underline-offset-2 hover:text-ink"
        >
          {toShortId(id)}
        </Link>
      </span>
    </span>
  );
}
