// Which parts of what is asked are not shown yet: what is grave can be allowed only once all of it was.
import { createContext, useCallback, useContext, useId, useLayoutEffect, useState } from 'react';

/** `gone`: it is drawn no more, which says nothing of whether somebody saw it. */
type ReportPart = (part: string, how: 'hidden' | 'shown' | 'gone') => void;

const HiddenParts = createContext<ReportPart | undefined>(undefined);
export const HiddenPartsProvider = HiddenParts;

/** Approvals of which everything was shown once: drawn anew, they need not be opened again. */
const seen = new Set<string>();

export function useHiddenParts(approvalId: string) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const report = useCallback<ReportPart>(
    (part, how) =>
      setHidden((before) => {
        const next = new Set(before);
        if (how === 'hidden') next.add(part);
        else if (next.delete(part) && next.size === 0 && how === 'shown') seen.add(approvalId);
        return next;
      }),
    [approvalId],
  );
  return { report, isHidden: hidden.size > 0 && !seen.has(approvalId) };
}

/** Tells the card around it that the middle of a text is, or is no more, left out. */
export function useReportHidden(isHidden: boolean): void {
  const part = useId();
  const report = useContext(HiddenParts);
  useLayoutEffect(() => report?.(part, isHidden ? 'hidden' : 'shown'), [report, part, isHidden]);
  useLayoutEffect(() => () => report?.(part, 'gone'), [report, part]);
}
