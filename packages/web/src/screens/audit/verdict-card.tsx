// Is the evidence whole? Big, because everything below is worth nothing if it is not.
import { clsx } from 'clsx';
import { RotateCw, ShieldAlert, ShieldCheck, ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProgram } from '../../connection/health.ts';
import { Button } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { InlineCode } from '../../parts/code.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Time } from '../../parts/time.tsx';
import { useVerdict } from './audit-data.ts';

export function VerdictCard() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useVerdict();
  if (error) {
    return (
      <ErrorNote
        error={error}
        title="The evidence could not be verified"
        onRetry={() => void refetch()}
        busy={isFetching}
      />
    );
  }
  const again = (
    <Button
      size="small"
      busy={isFetching}
      icon={<RotateCw className="size-3.5" />}
      onClick={() => void refetch()}
    >
      Verify again
    </Button>
  );
  if (!data)
    return (
      <Frame tone="wait" title="Verifying every row …" note="Each is checked against the one before it." />
    );
  const rows = data.rows.toLocaleString('en-US');
  const checked = <Time at={new Date(dataUpdatedAt).toISOString()} />;
  if (data.ok) {
    return (
      <Frame
        tone="good"
        title={data.rows === 0 ? 'No evidence yet' : `Whole: ${rows} ${data.rows === 1 ? 'row' : 'rows'}`}
        note={
          <>Every row is bound to the one before it, and none is missing or changed. Checked: {checked}.</>
        }
        actions={again}
      />
    );
  }
  return (
    <Frame
      tone="bad"
      title={`Broken at row ${data.brokenAt ?? '?'} of ${rows}`}
      note="That row, or one right before it, was changed, removed or cut off behind Toolyard’s back. Rows before it still prove themselves. Keep a copy of the database, and compare with an export or a backup."
      actions={again}
    />
  );
}

const tones = {
  wait: { classes: 'border-line bg-raised', icon: <ShieldQuestion className="size-8 text-faint" /> },
  good: { classes: 'border-good/30 bg-good-wash', icon: <ShieldCheck className="size-8 text-good" /> },
  bad: { classes: 'border-bad/40 bg-bad-wash', icon: <ShieldAlert className="size-8 text-bad" /> },
};

interface FrameProps {
  tone: keyof typeof tones;
  title: string;
  note: ReactNode;
  actions?: ReactNode;
}

function Frame({ tone, title, note, actions }: FrameProps) {
  const { classes, icon } = tones[tone];
  return (
    <section aria-label="Is the evidence whole?" className={clsx('rounded-xl border px-4 py-3.5', classes)}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span aria-hidden="true">{icon}</span>
        <div role="status" className="min-w-0 flex-1 basis-64">
          <p className="text-lg leading-6 font-semibold">{title}</p>
          <p className="text-13 text-soft">{note}</p>
        </div>
        {actions}
      </div>
      <ExportHint />
    </section>
  );
}

function ExportHint() {
  const command = `${useProgram()} audit export > audit.jsonl`;
  return (
    <p className="mt-2 flex flex-wrap items-center gap-x-1.5 text-13 text-soft sm:ml-12">
      All of it as a file, for keeping elsewhere: <InlineCode text={command} />
      <CopyButton text={command} label="Copy the command" />
    </p>
  );
}
