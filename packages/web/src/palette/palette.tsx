// Ctrl-K: type a few letters of where to go or what to do. A combobox: the input keeps the focus, arrows choose.
import { clsx } from 'clsx';
import { Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { overlayClasses, sheetClasses } from '../controls/dialog.tsx';
import { Kbd } from '../controls/kbd.tsx';
import { useReturnFocus } from '../controls/return-focus.ts';
import { Spinner } from '../controls/spinner.tsx';
import { closeDialog } from '../navigation/dialogs.ts';
import { usePaletteEntries } from './palette-entries.tsx';
import type { PaletteEntry, PaletteGroup } from './palette-entry.ts';

const maxPerGroup = 8;
const groups: readonly PaletteGroup[] = [
  'Do',
  'This session',
  'Go to',
  'Sessions',
  'Agents at work',
  'Tasks',
  'Said in sessions',
];
/** Before a word is typed. The first is what Enter takes. */
const firstGroups: readonly PaletteGroup[] = ['Sessions', 'This session', 'Go to', 'Do'];

export function Palette() {
  const listId = useId();
  const { query, setQuery, entries, isLooking, at, setChosen, run, onKeyDown } = usePalette();
  return (
    <Radix.Root open onOpenChange={(open) => open || closeDialog()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClasses} />
        <Radix.Content
          aria-describedby={undefined}
          {...useReturnFocus()}
          className={clsx(
            sheetClasses,
            'h-[70dvh] overflow-hidden sm:top-[12dvh] sm:h-auto sm:max-h-[70dvh] sm:max-w-xl sm:translate-y-0',
          )}
        >
          <Radix.Title className="sr-only">Command palette</Radix.Title>
          <PaletteInput
            query={query}
            listId={listId}
            onKeyDown={onKeyDown}
            chosenId={entries[at] && `${listId}-${at}`}
            onQuery={setQuery}
          />
          <Results
            listId={listId}
            entries={entries}
            isLooking={isLooking}
            at={at}
            query={query}
            onRun={run}
            onPoint={setChosen}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function usePalette() {
  const [query, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const offered = usePaletteEntries(query);
  const entries = arrange(offered.entries, query !== '');
  const at = Math.min(chosen, entries.length - 1);
  const setQuery = (words: string) => {
    setWords(words);
    setChosen(0);
  };
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    closeDialog();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((at + step + entries.length) % Math.max(entries.length, 1));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(entries[at]);
    else return;
    event.preventDefault();
  };
  return { query, setQuery, entries, isLooking: offered.isLooking, at, setChosen, run, onKeyDown };
}

interface PaletteInputProps {
  query: string;
  listId: string;
  chosenId: string | undefined;
  onQuery(query: string): void;
  onKeyDown(event: KeyboardEvent): void;
}

function PaletteInput({ query, listId, chosenId, onQuery, onKeyDown }: PaletteInputProps) {
  return (
    <div className="flex items-center gap-3 border-b px-4">
      <Search className="size-4 shrink-0 text-faint" aria-hidden="true" />
      <input
        role="combobox"
        aria-label="Find a session, a screen or an action"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosenId}
        autoComplete="off"
        spellCheck={false}
        placeholder="Find a session, a screen, an action, or what was said"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-12 min-w-0 flex-1 bg-transparent outline-none placeholder:text-faint"
      />
      <Kbd keys="escape" />
    </div>
  );
}

/** In the order of the groups, so that arrows go as the eye does; the few best of each. */
function arrange(entries: readonly PaletteEntry[], isSearching: boolean): PaletteEntry[] {
  const order = isSearching ? groups : firstGroups;
  return order.flatMap((group) => entries.filter((entry) => entry.group === group).slice(0, maxPerGroup));
}

interface ResultsProps {
  listId: string;
  entries: readonly PaletteEntry[];
  isLooking: boolean;
  at: number;
  query: string;
  onRun(entry: PaletteEntry): void;
  onPoint(at: number): void;
}

function Results({ listId, entries, isLooking, at, query, onRun, onPoint }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[aria-selected=true]`)?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <div ref={list} id={listId} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-1.5">
      {entries.length === 0 && (
        <p className="px-3 py-8 text-center text-sm text-soft">
          {isLooking ? <Spinner label="Looking" /> : `Nothing is called “${query}”.`}
        </p>
      )}
      {entries.map((entry, index) => (
        <div key={entry.id} role="presentation">
          {entries[index - 1]?.group !== entry.group && (
            <div role="presentation" className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
              {entry.group}
            </div>
          )}
          <Row
            entry={entry}
            id={`${listId}-${index}`}
            isChosen={index === at}
            onRun={onRun}
            onPoint={() => onPoint(index)}
          />
        </div>
      ))}
    </div>
  );
}

interface RowProps {
  entry: PaletteEntry;
  id: string;
  isChosen: boolean;
  onRun(entry: PaletteEntry): void;
  onPoint(): void;
}

function Row({ entry, id, isChosen, onRun, onPoint }: RowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names this one
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      onClick={() => onRun(entry)}
      onPointerMove={onPoint}
      className={clsx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1 text-sm [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-faint',
        isChosen && 'bg-hover',
      )}
    >
      {entry.icon}
      <span className="min-w-0 flex-1 truncate">{entry.name}</span>
      {entry.note && <span className="shrink-0 text-xs text-faint">{entry.note}</span>}
      {entry.shortcut?.split(' ').map((key) => (
        <Kbd key={key} keys={key} />
      ))}
    </div>
  );
}
