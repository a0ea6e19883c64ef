// Which parts of what is asked are not shown yet: what is grave can be allowed only once all of it was.
import { createContext, useCallback, useContext, useId, useLayoutEffect, useState } from 'react';

/** `gone`: it is drawn no more, which says nothing of whether somebody saw it. */
type Tell = (part: string, how: 'hidden' | 'shown' | 'gone') => void;

const HiddenParts = createContext<Tell | undefined>(undefined);
export const HiddenPartsProvider = HiddenParts;

/** Approvals of which everything was shown once: drawn anew, they need not be opened again. */
const seen = new Set<string>();

export function useHiddenParts(approvalId: string) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const tell = useCallback<Tell>(
    (part, how) =>
      setHidden((before) => {
        const next = new Set(before);
        if (how === 'hidden') next.add(part);
        else if (next.delete(part) && next.size === 0 && how === 'shown') seen.add(approvalId);
        return next;
      }),
    [approvalId],
  );
  return { tell, isHidden: hidden.size > 0 && !seen.has(approvalId) };
}

/** Tells the card around it that the middle of a text is, or is no more, left out. */
export function useTellHidden(isHidden: boolean): void {
  const part = useId();
  const tell = useContext(HiddenParts);
  useLayoutEffect(() => tell?.(part, isHidden ? 'hidden' : 'shown'), [tell, part, isHidden]);
  useLayoutEffect(() => () => tell?.(part, 'gone'), [tell, part]);
}
