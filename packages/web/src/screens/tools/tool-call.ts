// One call that a person makes from the page, and the approval it may wait for.
import { useQuery } from '@tanstack/react-query';
import type { ListedApproval, PermissionMode } from '@toolyard/sdk';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../connection/client.ts';
import { keys } from '../../queries/keys.ts';

export type CallResult = Awaited<ReturnType<typeof client.tools.call>>;

export type CallState =
  | { kind: 'idle' }
  | { kind: 'running' }
  | { kind: 'stopped' }
  | { kind: 'answered'; result: CallResult }
  | { kind: 'failed'; error: unknown };

export interface CallWanted {
  input: Record<string, unknown>;
  role: string;
  mode: PermissionMode;
}

type Place = Pick<CallWanted, 'role' | 'mode'> & { sessionId: string };

export function useToolCall(tool: string) {
  const [state, setState] = useState<CallState>({ kind: 'idle' });
  const [callId, setCallId] = useState<string>();
  const underWay = useRef<AbortController>(undefined);
  const last = useRef<Place>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);

  async function run(wanted: CallWanted): Promise<void> {
    const stop = new AbortController();
    underWay.current = stop;
    const toolCallId = newCallId();
    setCallId(toolCallId);
    setState({ kind: 'running' });
    const { input, role, mode } = wanted;
    // One session for all tries of a kind: each call would make another.
    const isSame = last.current?.role === role && last.current.mode === mode;
    const place = isSame && last.current ? { sessionId: last.current.sessionId } : { role, mode };
    try {
      const result = await client.tools.call(tool, { input, ...place, toolCallId }, stop.signal);
      last.current = { role, mode, sessionId: result.sessionId };
      setState({ kind: 'answered', result });
    } catch (error) {
      setState(stop.signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error });
    }
  }
  const approval = useApprovalOf(callId, state.kind === 'running');
  return { state, run, approval, stop: () => underWay.current?.abort() };
}

/** The news of approvals make it read again; the clock only helps when there are none. */
function useApprovalOf(toolCallId: string | undefined, isUnderWay: boolean): ListedApproval | undefined {
  const { data } = useQuery({
    queryKey: [...keys.approvals, 'call', toolCallId],
    queryFn: () => client.approvals.list({ toolCallId: toolCallId ?? '', limit: 1 }),
    enabled: toolCallId !== undefined,
    refetchInterval: isUnderWay ? 2_000 : false,
  });
  return data?.items[0];
}

const letters = '0123456789abcdefghijklmnopqrstuvwxyz';

function newCallId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(22));
  return `call_${[...bytes].map((byte) => letters[byte % letters.length]).join('')}`;
}
