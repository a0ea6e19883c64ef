// One call under way. It may outlive the request that began it: while a client asks its person, nobody listens.
import type { Approval, Progress, ToolOutcome } from '@toolyard/sdk';

/** Whoever waits for the call now. */
export interface Ears {
  progress(report: Progress): void;
  /** A person is asked, and then how that ended. */
  approval(approval: Approval): void;
}

export interface UnderWay {
  outcome: Promise<ToolOutcome>;
  /** The question to a person that it waits for now. */
  asked(): Approval | undefined;
  /** Hears from now on, and at once if a person is being asked. Returns the end of listening. */
  listen(ears: Ears): () => void;
  stop(): void;
}

export interface CallSignals {
  signal: AbortSignal;
  onProgress(report: Progress): void;
  onApproval(approval: Approval): void;
}

export function startCall(run: (signals: CallSignals) => Promise<ToolOutcome>): UnderWay {
  const stopping = new AbortController();
  let listener: Ears | undefined;
  let asked: Approval | undefined;
  const outcome = run({
    signal: stopping.signal,
    onProgress: (report) => listener?.progress(report),
    onApproval(approval) {
      asked = approval.state === 'pending' ? approval : undefined;
      listener?.approval(approval);
    },
  });
  // Whoever waits hears it; without anybody it is no crash.
  outcome.catch(() => {});
  return {
    outcome,
    asked: () => asked,
    stop: () => stopping.abort(),
    listen(ears) {
      listener = ears;
      if (asked) ears.approval(asked);
      return () => {
        if (listener === ears) listener = undefined;
      };
    },
  };
}
