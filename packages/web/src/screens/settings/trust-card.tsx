// One workspace: trusted or not, the files that count, what trust would widen, and the button that gives it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type TrustView, toVisibleLine } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { FolderCheck, FolderLock } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../connection/client.ts';
import { toProblem } from '../../connection/problems.ts';
import { Button } from '../../controls/button.tsx';
import { ConfirmDialog } from '../../controls/dialog.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { useToast } from '../../controls/toast.tsx';
import { Badge } from '../../parts/badge.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';

export function TrustCard({ workspace }: { workspace: string }) {
  const key = ['trust', workspace];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: () => client.trust.look({ cwd: workspace }),
  });
  const name = toVisibleLine(workspace);
  return (
    <section aria-label={name} className="rounded-xl border bg-raised p-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {data?.trusted ? (
          <FolderCheck className="size-5 shrink-0 text-good" aria-hidden="true" />
        ) : (
          <FolderLock className="size-5 shrink-0 text-faint" aria-hidden="true" />
        )}
        <h2 className="min-w-0 flex-1 basis-56 font-mono text-13 font-medium wrap-anywhere">{name}</h2>
        {data && <State view={data} />}
        {data && isOpen(data) && <TrustButton view={data} onDone={() => void refetch()} queryKey={key} />}
      </header>
      {error && (
        <ErrorNote
          error={error}
          title="It cannot be looked at now"
          onRetry={() => void refetch()}
          className="mt-3"
        />
      )}
      {!data && !error && <SkeletonLines count={2} label="Reading the workspace" />}
      {data && <Details view={data} />}
    </section>
  );
}

/** There is something to trust, and nothing in the way. */
function isOpen({ trusted, files, problems }: TrustView): boolean {
  return !trusted && files.length > 0 && problems.length === 0;
}

function State({ view: { trusted, files, problems } }: { view: TrustView }) {
  if (files.length === 0 && problems.length === 0) return <Badge>nothing of its own</Badge>;
  if (problems.length > 0) return <Badge tone="bad">cannot be trusted</Badge>;
  return trusted ? <Badge tone="good">trusted</Badge> : <Badge tone="warn">not trusted</Badge>;
}

function Details({ view: { files, widens, problems, trusted, hash } }: { view: TrustView }) {
  if (files.length === 0 && problems.length === 0) return null;
  const diff = toDiff(widens);
  return (
    <div className="mt-3 flex flex-col gap-3 text-13">
      {problems.map((problem) => (
        <p
          key={problem}
          className="rounded-lg border border-bad/40 bg-bad-wash px-3 py-2 text-bad wrap-anywhere"
        >
          {problem}
        </p>
      ))}
      <p className="text-soft">
        Its files: {files.map((file) => toVisibleLine(file)).join(', ')}{' '}
        <span className="font-mono text-xs text-faint" title={hash}>
          {hash.slice(0, 12)}
        </span>
      </p>
      {diff.length === 0 ? (
        <p className="text-soft">Trusting it would widen nothing.</p>
      ) : (
        <div>
          <p className="mb-1 text-soft">
            {trusted ? 'What your trust widens:' : 'What trusting it would widen:'}
          </p>
          <ul className="overflow-hidden rounded-lg border font-mono text-xs leading-5">
            {diff.map(({ sign, text }) => (
              <li
                key={sign + text}
                className={clsx(
                  'flex gap-2 px-3 py-0.5',
                  sign === '+' ? 'bg-warn-wash text-warn' : 'bg-sunken text-soft',
                )}
              >
                <span aria-hidden="true">{sign}</span>
                <span className="sr-only">{sign === '+' ? 'then' : 'now'}</span>
                <span className="min-w-0 wrap-anywhere">{text}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

interface TrustButtonProps {
  view: TrustView;
  queryKey: readonly string[];
  onDone(): void;
}

/** Sends the hash of the files that were shown: others are refused. */
function TrustButton({ view, queryKey, onDone }: TrustButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const trust = async () => {
    try {
      queries.setQueryData(queryKey, await client.trust.trust({ cwd: view.workspace, hash: view.hash }));
      toast({ tone: 'good', title: 'Trusted, as it is now' });
      void queries.invalidateQueries({ queryKey: ['roles'] });
    } catch (thrown) {
      toast({ tone: 'bad', title: 'It was not trusted', note: toProblem(thrown).message });
      onDone();
    }
  };
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        Trust it
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title="Trust this workspace as it is now?"
        note={
          <>
            <span className="font-mono wrap-anywhere">{toVisibleLine(view.workspace)}</span>
            <br />
            {view.widens.length === 0
              ? 'It would widen nothing now.'
              : `It would widen ${view.widens.length} ${view.widens.length === 1 ? 'thing' : 'things'}, shown below it. Only do so when you know who wrote its files.`}
          </>
        }
        confirmLabel="Trust it"
        onConfirm={trust}
      />
    </>
  );
}

interface DiffLine {
  sign: '-' | '+';
  text: string;
}

const setting = /^toolyard\.yaml sets (\S+) to (.*) \(now (.*)\)\.$/s;

/**
 * What trusting a workspace would change, as lines of a diff. The server says it in sentences; one about a setting holds
 * what is there before and after.
 */
function toDiff(widens: readonly string[]): DiffLine[] {
  return widens.flatMap((sentence): DiffLine[] => {
    const [, key, after, before] = setting.exec(sentence) ?? [];
    if (!key) return [{ sign: '+', text: sentence }];
    return [
      { sign: '-', text: `${key}: ${before}` },
      { sign: '+', text: `${key}: ${after}` },
    ];
  });
}
