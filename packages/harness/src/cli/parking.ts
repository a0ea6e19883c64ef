// Notices when nobody has answered in time and the approvals of a turn are parked: they can be answered later, so
// whoever waits for them may leave.
import type { Approval } from '@toolyard/sdk';
import type { Link } from './link.ts';

const longestTimerMs = 2 ** 31 - 1;
/** A server that is not there may be back by then. */
const askAgainMs = 2_000;

export interface Parking {
  add(approval: Approval): void;
  remove(approvalId: string): void;
  close(): void;
}

/** `onParked` is called when every approval that is still open is parked. */
export function createParking(
  link: Pick<Link, 'ask'>,
  onParked: (approvals: readonly Approval[]) => void,
): Parking {
  const open = new Map<string, { approval: Approval; timer?: NodeJS.Timeout; parked: boolean }>();

  function watch(approval: Approval, leftMs = toLeftMs(approval)): void {
    const timer = setTimeout(() => void check(approval), Math.min(leftMs, longestTimerMs));
    open.set(approval.id, { approval, timer, parked: false });
  }

  /** The server knows better: its clock stops while it is down. */
  async function check({ id }: Approval): Promise<void> {
    const known = open.get(id);
    if (!known) return;
    const now = await link.ask((client) => client.approvals.get(id)).catch(() => undefined);
    if (!open.has(id)) return;
    if (!now) watch(known.approval, askAgainMs);
    else if (now.state === 'pending' && toLeftMs(now) > 0) watch(now);
    else if (now.state === 'pending') park(now);
  }

  function park(approval: Approval): void {
    open.set(approval.id, { approval, parked: true });
    tell();
  }

  function tell(): void {
    const all = [...open.values()];
    if (all.length > 0 && all.every(({ parked }) => parked)) onParked(all.map((each) => each.approval));
  }

  return {
    add(approval) {
      if (approval.unattended === 'park' && approval.expiresAt !== null) watch(approval);
      else open.set(approval.id, { approval, parked: false });
    },
    remove(approvalId) {
      clearTimeout(open.get(approvalId)?.timer);
      open.delete(approvalId);
      tell();
    },
    close() {
      for (const { timer } of open.values()) clearTimeout(timer);
      open.clear();
    },
  };
}

function toLeftMs({ expiresAt }: Approval): number {
  return expiresAt === null ? longestTimerMs : Math.max(0, Date.parse(expiresAt) - Date.now());
}
