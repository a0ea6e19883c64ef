// Parts of a conversation that may break by themselves: the field below them stays, with what was typed.
import type { ReactNode } from 'react';
import { Boundary, BrokenPart } from '../parts/boundary.tsx';
import type { Row } from '../transcript-rows/rows.ts';

export function GuardedHead({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  return (
    <Boundary
      of={sessionId}
      fallback={(error) => <BrokenPart error={error} title="What stands above cannot be shown" />}
    >
      {children}
    </Boundary>
  );
}

export function GuardedTranscript({ rows, children }: { rows: readonly Row[]; children: ReactNode }) {
  return (
    <Boundary of={rows} fallback={(error) => <BrokenTranscript error={error} />}>
      {children}
    </Boundary>
  );
}

function BrokenTranscript({ error }: { error: unknown }) {
  return (
    <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 overflow-auto px-6 py-8">
      <BrokenPart error={error} title="The conversation cannot be shown">
        <p className="text-soft">Reload the page. What is sent still arrives.</p>
      </BrokenPart>
    </div>
  );
}

export function GuardedRow({ row, children }: { row: Row; children: ReactNode }) {
  return (
    <Boundary
      of={row}
      fallback={(error) => <BrokenPart error={error} title="This part of the conversation cannot be shown" />}
    >
      {children}
    </Boundary>
  );
}
