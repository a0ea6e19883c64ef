// One call under way. It may outlive the request that began it: while a client asks its person, nobody listens.
import type { Approval, Progress, ToolOutcome } from '@toolyard/sdk';

/** Whoever waits for the call now. */
export interface CallListener {
  progress(report: Progress): void;
  /** A person is asked, and then how that ended. */
  approval(approval: Approval): void;
}

export interface RunningCall {
  outcome: Promise<ToolOutcome>;
  /** The question to a person that it waits for now. */
  asked(): Approval | undefined;
  /** Hears from now on, and at once if a person is being asked. Returns the end of listening. */
  listen(listener: CallListener): () => void;
  stop(): void;
}

export interface CallSignals {
  signal: AbortSignal;
  onProgress(report: Progress): void;
  onApproval(approval: Approval): void;
}

export function startCall(run: (signals: CallSignals) => Promise<ToolOutcome>): RunningCall {
  const stopping = new AbortController();
  let current: CallListener | undefined;
  let asked: Approval | undefined;
  const outcome = run({
    signal: stopping.signal,
    onProgress: (report) => current?.progress(report),
    onApproval(approval) {
      asked = approval.state === 'pending' ? approval : undefined;
      current?.approval(approval);
    },
  });
  // Whoever waits hears it; without anybody it is no crash.
  outcome.catch(() => {});
  return {
    outcome,
    asked: () => asked,
    stop: () => stopping.abort(),
    listen(listener) {
      current = listener;
      if (asked) listener.approval(asked);
      return () => {
        if (current === listener) current = undefined;
      };
    },
  };
}
