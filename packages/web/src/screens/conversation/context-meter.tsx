// How full the model's window is, where the engine can tell.
import { useQuery } from '@tanstack/react-query';
import type { SessionView } from '@toolyard/sdk';
import { client } from '../../connection/client.ts';
import { Tooltip } from '../../controls/tooltip.tsx';
import { toCount } from '../../parts/amounts.tsx';

const size = 16;
const radius = 6;
const round = 2 * Math.PI * radius;

export function ContextMeter({ sessionId, view }: { sessionId: string; view: SessionView }) {
  const turns = view.usage.inputTokens;
  const { data } = useQuery({
    queryKey: ['context', sessionId, turns],
    queryFn: () => client.sessions.context(sessionId),
    enabled: view.turnId === undefined && turns > 0,
    placeholderData: (before) => before,
    retry: false,
  });
  const window = data?.window;
  if (!window || window.windowTokens === 0) return null;
  const share = Math.min(1, window.usedTokens / window.windowTokens);
  const percent = Math.round(share * 100);
  const words = `Context: ${toCount(window.usedTokens)} of ${toCount(window.windowTokens)} tokens, ${percent} %`;
  return (
    <Tooltip text={words} side="bottom">
      <button
        type="button"
        aria-label={words}
        className="flex cursor-default items-center gap-1.5 rounded text-xs text-soft tabular-nums"
      >
        <svg viewBox={`0 0 ${size} ${size}`} className="size-4 -rotate-90" aria-hidden="true">
          <circle cx="8" cy="8" r={radius} fill="none" strokeWidth="2.5" className="stroke-line" />
          <circle
            cx="8"
            cy="8"
            r={radius}
            fill="none"
            strokeWidth="2.5"
            strokeDasharray={`${share * round} ${round}`}
            className={share > 0.85 ? 'stroke-warn' : 'stroke-accent'}
          />
        </svg>
        {percent} %
      </button>
    </Tooltip>
  );
}
