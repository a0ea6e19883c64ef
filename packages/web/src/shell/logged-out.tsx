// In front of everything while the server does not know this browser: how to get in. What is behind it stays as it is, and
// goes on without a reload.
import { useQueryClient } from '@tanstack/react-query';
import type { ToolyardError } from '@toolyard/sdk';
import { Dialog as Radix } from 'radix-ui';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { reconnect, useConnectionState } from '../connection/connection-state.ts';
import { useProgram } from '../connection/health.ts';
import { onLogin, readLinkProblem, readSecret } from '../connection/login.ts';
import { Button } from '../controls/button.tsx';
import { useReturnFocus } from '../controls/return-focus.ts';
import { Code } from '../parts/code.tsx';
import { Logo } from './logo.tsx';

export function LoggedOut() {
  return useConnectionState().kind === 'loggedOut' ? <LoginScreen /> : null;
}

function LoginScreen() {
  const { check, isChecking, problem } = useRetry();
  const link = useSyncExternalStore(onLogin, readLinkProblem);
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
            <Radix.Description className="mt-1 text-soft">{explain(link)}</Radix.Description>
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

/** Why this browser is not let in. */
function explain(link: ToolyardError | undefined): string {
  if (link) return linkProblems[String(link.data?.reason)] ?? link.message;
  if (readSecret() === undefined)
    return `This browser has no login for ${location.host}. A login is for one address: one for another port or another name of the server does not count here.`;
  return `The login for ${location.host} has ended. It lasts seven days. It ends at once when it is revoked, and when the server moves to another port.`;
}

const linkProblems: Partial<Record<string, string>> = {
  link_used: 'That link was used already: each works once.',
  link_expired: 'That link is too old: each works for a short time only.',
  link_unknown: 'The server does not know that link: it has restarted since the link was made.',
};

/** Links name the server as commands do. */
const isOtherName = ['localhost', '[::1]'].includes(location.hostname) && location.protocol === 'http:';

function Steps() {
  const command = `${useProgram()} login`;
  return (
    <ol className="mt-5 flex list-decimal flex-col gap-3 pl-5 text-sm marker:text-faint">
      <li>
        On the machine where Toolyard runs, ask for a link:
        <Code text={command} copy label="Command" className="mt-1.5" />
      </li>
      <li>
        Open the link in another tab of this browser. It works once, within a minute.
        {isOtherName &&
          ' It leads to 127.0.0.1: go on there, or put its last part behind the address of this page.'}
      </li>
    </ol>
  );
}

/** Asks by itself when somebody comes back to this window. */
function useRetry() {
  const [isChecking, setChecking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const queries = useQueryClient();
  // Who is let in again reads everything again.
  useEffect(() => () => void queries.invalidateQueries(), [queries]);
  const check = useCallback(async () => {
    setChecking(true);
    const refusal = await reconnect();
    setChecking(false);
    if (refusal) setProblem(`Not yet: ${formatRefusal(refusal)}`);
  }, []);
  useEffect(() => {
    const retryWhenVisible = () => {
      if (!document.hidden) void reconnect();
    };
    window.addEventListener('focus', retryWhenVisible);
    document.addEventListener('visibilitychange', retryWhenVisible);
    return () => {
      window.removeEventListener('focus', retryWhenVisible);
      document.removeEventListener('visibilitychange', retryWhenVisible);
    };
  }, []);
  return { check, isChecking, problem };
}

function formatRefusal({ code }: ToolyardError): string {
  return code === 'unauthorized' ? 'the server does not know this browser.' : 'the server does not answer.';
}
