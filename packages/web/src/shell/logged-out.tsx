// In front of everything while the server does not know this browser: how to get in. What is behind it stays as it is, and
// goes on without a reload.
import { useQueryClient } from '@tanstack/react-query';
import type { ToolyardError } from '@toolyard/sdk';
import { Dialog as Radix } from 'radix-ui';
import { useCallback, useEffect, useState } from 'react';
import { reconnect, useConnectionState } from '../connection/connection-state.ts';
import { useProgram } from '../connection/health.ts';
import { Button } from '../controls/button.tsx';
import { useReturnFocus } from '../controls/return-focus.ts';
import { Code } from '../parts/code.tsx';
import { Logo } from './logo.tsx';

/** Where the server sends a person whose link does not work any more. */
const expiredMark = '#link-expired';

export function LoggedOut() {
  const { kind } = useConnectionState();
  useEffect(() => {
    if (kind === 'open' && location.hash === expiredMark) history.replaceState(null, '', location.pathname);
  }, [kind]);
  return kind === 'loggedOut' ? <LoginScreen /> : null;
}

function LoginScreen() {
  const { check, isChecking, problem } = useRetry();
  const wasExpired = location.hash === expiredMark;
  return (
    <Radix.Root open>
      <Radix.Portal>
        <Radix.Content
          {...useReturnFocus('content')}
          role="alertdialog"
          onEscapeKeyDown={(event) => event.preventDefault()}
          className="fixed inset-0 z-70 flex items-center justify-center overflow-y-auto bg-ground p-6 outline-none"
        >
          <div className="w-full max-w-md">
            <Logo className="mb-5 size-11" />
            <Radix.Title className="text-xl font-semibold tracking-tight">You are logged out</Radix.Title>
            <Radix.Description className="mt-1 text-soft">
              {wasExpired
                ? 'That link was used already, or it is too old. Each works once, for a short time.'
                : 'This browser has no login, or it has ended. Logins last seven days and end at once when they are revoked.'}
            </Radix.Description>
            <Steps />
            <div className="mt-5 flex items-center gap-3">
              <Button variant="primary" busy={isChecking} onClick={() => void check()}>
                I have logged in
              </Button>
              <p role="status" className="text-sm text-soft">
                {problem ?? 'Then this page goes on where it was, with all that you typed.'}
              </p>
            </div>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Steps() {
  const command = `${useProgram()} login`;
  return (
    <ol className="mt-5 flex list-decimal flex-col gap-3 pl-5 text-sm marker:text-faint">
      <li>
        On the machine where Toolyard runs, ask for a link:
        <Code text={command} copy label="Command" className="mt-1.5" />
      </li>
      <li>Open the link in another tab of this browser. It works once, within a minute.</li>
    </ol>
  );
}

/** Asks by itself when somebody comes back to this window, perhaps from logging in in another. */
function useRetry() {
  const [isChecking, setChecking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const queries = useQueryClient();
  const tryIt = useCallback(async () => {
    const refusal = await reconnect();
    if (!refusal) void queries.invalidateQueries();
    return refusal;
  }, [queries]);
  const check = useCallback(async () => {
    setChecking(true);
    const refusal = await tryIt();
    setChecking(false);
    if (refusal) setProblem(`Not yet: ${formatRefusal(refusal)}`);
  }, [tryIt]);
  useEffect(() => {
    const retryWhenVisible = () => {
      if (!document.hidden) void tryIt();
    };
    window.addEventListener('focus', retryWhenVisible);
    document.addEventListener('visibilitychange', retryWhenVisible);
    return () => {
      window.removeEventListener('focus', retryWhenVisible);
      document.removeEventListener('visibilitychange', retryWhenVisible);
    };
  }, [tryIt]);
  return { check, isChecking, problem };
}

function formatRefusal({ code }: ToolyardError): string {
  return code === 'unauthorized' ? 'the server does not know this browser.' : 'the server does not answer.';
}
