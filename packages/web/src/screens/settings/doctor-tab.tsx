// The doctor's findings: what is so on the server's machine, and what to do about what is not well.

import { useQuery } from '@tanstack/react-query';
import { type Finding, toReadable, toVisibleLine } from '@toolyard/sdk';
import { CircleAlert, CircleCheck, CircleX, RotateCw } from 'lucide-react';
import { client } from '../../connection/client.ts';
import { useProgram } from '../../connection/health.ts';
import { Button } from '../../controls/button.tsx';
import { Spinner } from '../../controls/spinner.tsx';
import { InlineCode } from '../../parts/code.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';

const styles = {
  ok: { word: 'well', icon: <CircleCheck className="text-good" /> },
  warn: { word: 'look at this', icon: <CircleAlert className="text-warn" /> },
  fail: { word: 'does not work', icon: <CircleX className="text-bad" /> },
} as const;
const order = ['fail', 'warn', 'ok'] as const;

export function DoctorTab() {
  const { data, error, isFetching, refetch } = useDoctor();
  const command = `${useProgram()} doctor`;
  const items =
    data?.items.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state)) ?? [];
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <p role="status" className="min-w-0 flex-1 basis-64 text-sm text-soft">
          {data ? <Summary items={items} /> : 'What is so on the machine of the server.'} The same from a
          terminal: <InlineCode text={command} />
        </p>
        <Button busy={isFetching} icon={<RotateCw className="size-3.5" />} onClick={() => void refetch()}>
          Look again
        </Button>
      </div>
      {error && (
        <ErrorNote
          error={error}
          title="The doctor could not look"
          onRetry={() => void refetch()}
          busy={isFetching}
        />
      )}
      {!data && !error && <Spinner label="Looking: it tries programs and reads files" />}
      {items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-xl border bg-raised">
          {items.map((finding) => (
            <Row key={finding.name} finding={finding} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Summary({ items }: { items: readonly Finding[] }) {
  const bad = items.filter(({ state }) => state === 'fail').length;
  const odd = items.filter(({ state }) => state === 'warn').length;
  if (bad + odd === 0) return <strong className="font-medium text-good">All is well. </strong>;
  const words = [
    bad > 0 && `${bad} ${bad === 1 ? 'thing does' : 'things do'} not work`,
    odd > 0 && `${odd} to look at`,
  ];
  return (
    <strong className={bad > 0 ? 'font-medium text-bad' : 'font-medium text-warn'}>
      {words.filter(Boolean).join(', ')}.{' '}
    </strong>
  );
}

function Row({ finding: { name, state, message, fix } }: { finding: Finding }) {
  const { word, icon } = styles[state];
  return (
    <li className="flex gap-3 px-4 py-3">
      <span aria-hidden="true" className="mt-0.5 [&>svg]:size-4.5">
        {icon}
      </span>
      <div className="min-w-0 text-sm">
        <p className="font-medium">
          {toVisibleLine(name)} <span className="sr-only">: {word}</span>
        </p>
        <p className="whitespace-pre-line text-soft wrap-anywhere">{toReadable(message)}</p>
        {fix && state !== 'ok' && (
          <p className="mt-1 wrap-anywhere">
            <span className="text-faint">What to do: </span>
            <WithCommands text={toReadable(fix)} />
          </p>
        )}
      </div>
    </li>
  );
}

/** What stands between backticks is to be typed. */
function WithCommands({ text }: { text: string }) {
  return text.split('`').map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
      <InlineCode key={index} text={piece} />
    ) : (
      piece
    ),
  );
}

/** What the doctor finds. It starts programs to find out, so it is asked only when somebody looks. */
function useDoctor() {
  return useQuery({
    queryKey: ['doctor'],
    queryFn: () => client.diagnose(),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
