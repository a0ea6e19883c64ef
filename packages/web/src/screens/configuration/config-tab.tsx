// The configuration, key by key: what holds, who said so, and a control where it may be changed from here.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ConfigItem, type ConfigView, ToolyardError, toVisibleLine } from '@toolyard/sdk';
import { useEffect, useState } from 'react';
import { client } from '../../connection/client.ts';
import { Button } from '../../controls/button.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { useToast } from '../../controls/toast.tsx';
import { Card } from '../../parts/card.tsx';
import { InlineCode } from '../../parts/code.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { setUnsaved } from '../../storage/unsaved-changes.ts';
import { type Begun, findConflicts, toAcknowledged, toBegun } from './config-conflicts.ts';
import { type Draft, isChanged, savedValue, toFieldErrors, toPatch, type Word } from './config-draft.ts';
import { ConfigRow } from './config-row.tsx';
import { formatValue, toGroups } from './format-config.ts';

const configKey = ['config'];

export function ConfigTab() {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: configKey,
    queryFn: () => client.config.read(),
  });
  if (error && !data) {
    return (
      <ErrorNote
        error={error}
        title="The configuration could not be read"
        onRetry={() => void refetch()}
        busy={isFetching}
      />
    );
  }
  return data ? <Configuration view={data} /> : <SkeletonLines count={8} label="Reading the configuration" />;
}

function Configuration({ view }: { view: ConfigView }) {
  const { draft, begun, change, clear, setBegun } = useDraft();
  const saving = useSaving(view, { draft, begun, setBegun }, clear);
  const changed = view.items.filter((item) => isChanged(item, draft));
  const isUnsaved = changed.length > 0;
  // It stays while another screen is open, as the draft does.
  useEffect(() => setUnsaved('toolyard.config', isUnsaved ? 'unkept' : undefined), [isUnsaved]);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void saving.save();
      }}
    >
      <FileNote view={view} />
      {toGroups(view.items).map(({ name, title, items }) => (
        <Card key={name} title={title} flush>
          <div className="divide-y">
            {items.map((item) => (
              <ConfigRow
                key={item.key}
                item={item}
                word={draft[item.key]}
                isChanged={changed.includes(item)}
                error={saving.errors[item.key]}
                onChange={(word) => change(item, word)}
              />
            ))}
          </div>
        </Card>
      ))}
      {isUnsaved && (
        <SaveBar
          count={changed.length}
          saving={saving}
          onDiscard={() => {
            clear();
            saving.forget();
          }}
        />
      )}
    </form>
  );
}

/** What was typed and not saved, for whoever goes elsewhere and comes back. */
let unsaved: { draft: Draft; begun: Begun } = { draft: {}, begun: {} };

function useDraft() {
  const [draft, setDraft] = useState(unsaved.draft);
  const [begun, setBegun] = useState(unsaved.begun);
  useEffect(() => {
    unsaved = { draft, begun };
  }, [draft, begun]);
  return {
    draft,
    begun,
    setBegun,
    change(item: ConfigItem, word: Word | null) {
      setBegun(toBegun(begun, draft, item));
      setDraft({ ...draft, [item.key]: word });
    },
    clear() {
      setDraft({});
      setBegun({});
    },
  };
}

function FileNote({ view: { path, exists, problem } }: { view: ConfigView }) {
  return (
    <div className="flex flex-col gap-2 text-sm text-soft">
      <p>
        {exists ? 'Kept in ' : 'Every default holds. The first change makes '}
        <InlineCode text={path} />. Comments in it stay when something is changed here.
      </p>
      {problem && (
        <p
          role="alert"
          className="rounded-lg border border-bad/40 bg-bad-wash px-3 py-2 whitespace-pre-line text-bad"
        >
          {`The file cannot be read as it is, so what held at the start holds on, and nothing can be changed here until it is mended.\n${toVisibleLine(problem)}`}
        </p>
      )}
    </div>
  );
}

interface Drafted {
  draft: Draft;
  begun: Begun;
  setBegun(begun: Begun): void;
}

function useSaving(view: ConfigView, { draft, begun, setBegun }: Drafted, onSaved: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [moved, setMoved] = useState<readonly ConfigItem[]>([]);
  const errors = failure instanceof ToolyardError ? toFieldErrors(view.items, failure) : {};

  async function save(): Promise<void> {
    setBusy(true);
    try {
      const now = await client.config.read();
      const elsewhere = findConflicts(now.items, draft, begun);
      setMoved(elsewhere);
      if (elsewhere.length > 0) {
        queries.setQueryData(configKey, now);
        setBegun(toAcknowledged(begun, elsewhere));
        return;
      }
      const next = await client.config.change(toPatch(now.items, draft));
      setFailure(undefined);
      queries.setQueryData(configKey, next);
      void queries.invalidateQueries({ queryKey: ['tools'] });
      onSaved();
      const later = next.items.some(({ key, afterRestart }) => key in draft && afterRestart !== undefined);
      toast({
        tone: 'good',
        title: 'Saved',
        note: later ? 'Some of it counts from the next start on.' : 'It counts from now on.',
      });
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  }
  const forget = () => {
    setFailure(undefined);
    setMoved([]);
  };
  return { save, busy, failure, errors, moved, forget };
}

interface SaveBarProps {
  count: number;
  saving: ReturnType<typeof useSaving>;
  onDiscard(): void;
}

function SaveBar({ count, saving: { busy, failure, errors, moved }, onDiscard }: SaveBarProps) {
  const isElsewhere = failure !== undefined && Object.keys(errors).length === 0;
  return (
    <div className="sticky bottom-3 z-10 flex flex-col gap-2 rounded-xl border bg-raised p-3 shadow-lg shadow-black/10">
      {isElsewhere && <ErrorNote error={failure} title="Nothing was saved" />}
      {moved.length > 0 && <MovedNote moved={moved} />}
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="flex-1 text-sm">
          {failure !== undefined && !isElsewhere ? (
            <span className="text-bad">Nothing was saved: look at what is marked.</span>
          ) : (
            `${count} ${count === 1 ? 'change' : 'changes'} not saved`
          )}
        </p>
        <Button onClick={onDiscard}>Discard</Button>
        <Button type="submit" variant="primary" busy={busy}>
          Save
        </Button>
      </div>
    </div>
  );
}

function MovedNote({ moved }: { moved: readonly ConfigItem[] }) {
  return (
    <div role="alert" className="rounded-lg border border-warn/40 bg-warn-wash px-3 py-2 text-sm">
      <p className="font-medium">Nothing was saved yet: this was changed elsewhere meanwhile.</p>
      <ul className="list-disc pl-5 text-soft">
        {moved.map((item) => (
          <li key={item.key}>
            <InlineCode text={item.key} /> is now <InlineCode text={formatValue(savedValue(item))} />
          </li>
        ))}
      </ul>
      <p className="text-soft">Save again to put yours in its place, or discard yours.</p>
    </div>
  );
}
