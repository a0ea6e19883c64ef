// The entries of a map: a name and one of a few values each.
import { clsx } from 'clsx';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../controls/button.tsx';
import { inputClasses } from '../../controls/field.tsx';
import { Select } from '../../controls/select.tsx';
import type { MapEntry } from './config-draft.ts';

export interface MapEditorProps {
  id: string;
  entries: readonly MapEntry[];
  choices: readonly string[];
  onChange(entries: MapEntry[]): void;
}

const words: Readonly<Record<string, string>> = { true: 'on', false: 'off' };

export function MapEditor({ id, entries, choices, onChange }: MapEditorProps) {
  const options = choices.map((value) => ({ value, label: words[value] ?? value }));
  // The most careful one: a toolkit that is off, a tool that always asks.
  const first = choices.at(-1) ?? '';
  const replace = (place: number, entry: MapEntry) =>
    onChange(entries.map((one, index) => (index === place ? entry : one)));
  return (
    <fieldset aria-labelledby={`${id}-label`} className="flex flex-col gap-1.5">
      {entries.length === 0 && <p className="flex h-8.5 items-center text-sm text-faint">none</p>}
      {entries.map((entry, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place while its name is being typed
        <div key={place} className="flex items-center gap-1.5">
          <input
            aria-label={`Name of entry ${place + 1}`}
            autoComplete="off"
            spellCheck={false}
            value={entry.name}
            onChange={(event) => replace(place, { ...entry, name: event.target.value })}
            className={clsx(inputClasses, 'h-8.5 min-w-0 flex-1 font-mono text-13')}
          />
          <Select
            label={`Value of ${entry.name || `entry ${place + 1}`}`}
            value={entry.value}
            options={options}
            onChange={(value) => replace(place, { ...entry, value })}
          />
          <IconButton
            label={`Remove ${entry.name || `entry ${place + 1}`}`}
            onClick={() => onChange(entries.filter((_, index) => index !== place))}
          >
            <X className="size-3.5" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus className="size-3.5" />}
          onClick={() => onChange([...entries, { name: '', value: first }])}
        >
          Add an entry
        </Button>
      </div>
    </fieldset>
  );
}
