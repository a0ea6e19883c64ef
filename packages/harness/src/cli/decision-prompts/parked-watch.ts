// Detects when everything that a turn asks is parked because nobody answered in time. It can be answered later, so the
// command may stop waiting.
import type { Approval, Question } from '@toolyard/sdk';
import type { ServerLink } from '../connection/server-link.ts';

const maxTimerMs = 2 ** 31 - 1;
/** A server that is away may be back by then. */
const retryDelayMs = 2_000;

export type Asked = Approval | Question;

export interface ParkedWatch {
  add(asked: Asked): void;
  remove(id: string): void;
  close(): void;
}

/** `onParked` is called when all that is still open is parked. */
export function createParkedWatch(
  link: Pick<ServerLink, 'ask'>,
  onParked: (parked: readonly Asked[]) => void,
): ParkedWatch {
  const open = new Map<string, { asked: Asked; timer?: NodeJS.Timeout; parked: boolean }>();

  function watch(asked: Asked, leftMs = toLeftMs(asked)): void {
    const timer = setTimeout(() => void check(asked), Math.min(leftMs, maxTimerMs));
    open.set(asked.id, { asked, timer, parked: false });
  }

  /** Asks the server, because the time to answer stops while the server is down. */
  async function check(asked: Asked): Promise<void> {
    const { id } = asked;
    const known = open.get(id);
    if (!known) return;
    const now = await readAsked(link, asked).catch(() => undefined);
    if (!open.has(id)) return;
    if (!now) watch(known.asked, retryDelayMs);
    else if (now.state === 'pending' && toLeftMs(now) > 0) watch(now);
    else if (now.state === 'pending') park(now);
  }

  function park(asked: Asked): void {
    open.set(asked.id, { asked, parked: true });
    notifyIfAllParked();
  }

  function notifyIfAllParked(): void {
    const all = [...open.values()];
    if (all.length > 0 && all.every(({ parked }) => parked)) onParked(all.map((each) => each.asked));
  }

  return {
    add(asked) {
      if (asked.unattended === 'park') watch(asked);
      else open.set(asked.id, { asked, parked: false });
    },
    remove(id) {
      clearTimeout(open.get(id)?.timer);
      open.delete(id);
      notifyIfAllParked();
    },
    close() {
      for (const { timer } of open.values()) clearTimeout(timer);
      open.clear();
    },
  };
}

export function isApproval(asked: Asked): asked is Approval {
  return 'tool' in asked;
}

function readAsked(link: Pick<ServerLink, 'ask'>, asked: Asked): Promise<Asked> {
  const { id } = asked;
  return link.ask(
    (client): Promise<Asked> => (isApproval(asked) ? client.approvals.get(id) : client.questions.get(id)),
  );
}

/** A parked one has no expiry: no time is left. */
function toLeftMs({ expiresAt }: Asked): number {
  return expiresAt === null ? 0 : Math.max(0, Date.parse(expiresAt) - Date.now());
}
