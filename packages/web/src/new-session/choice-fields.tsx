// The fields for what a new session is to be like.
import { clsx } from 'clsx';
import { useId } from 'react';
import { Field, inputClasses } from '../controls/field.tsx';
import { Select } from '../controls/select.tsx';
import { modes } from '../queries/modes.ts';
import { asServer, type Choices, useDirectories, useModels, useRoles } from './choices.ts';
import { ModeSelect } from './mode-select.tsx';

export interface ChoiceFieldsProps {
  choices: Choices;
  onChange(choices: Choices): void;
  /** Role and mode are chosen elsewhere. */
  isRest?: boolean | undefined;
}

const engines = [
  { value: asServer, label: 'Automatic', note: 'claude where it is installed and logged in, else native' },
  { value: 'claude', label: 'claude', note: 'Claude Code, through the Claude Agent SDK' },
  { value: 'native', label: 'native', note: 'Toolyard’s own loop, for every provider' },
];

const modeOptions = [
  { value: 'default-of-role', label: 'As the role says', note: 'Usually: ask' } as const,
  ...modes,
];

export function ChoiceFields({ choices, onChange, isRest }: ChoiceFieldsProps) {
  const set = (part: Partial<Choices>) => onChange({ ...choices, ...part });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {!isRest && <RoleField choices={choices} onChange={onChange} />}
      <Field label="Engine">
        {({ id }) => (
          <Select id={id} value={choices.engine} options={engines} onChange={(engine) => set({ engine })} />
        )}
      </Field>
      <ModelField value={choices.model} onChange={(model) => set({ model })} />
      {!isRest && (
        <Field label="Mode">
          {({ id }) => (
            <ModeSelect
              id={id}
              value={choices.mode}
              options={modeOptions}
              onChange={(mode) => set({ mode })}
            />
          )}
        </Field>
      )}
      <DirectoryField value={choices.cwd} onChange={(cwd) => set({ cwd })} />
    </div>
  );
}

function RoleField({ choices, onChange }: ChoiceFieldsProps) {
  const { data } = useRoles(choices.cwd);
  const options = [
    { value: asServer, label: 'Default', note: 'What the configuration names; else assistant' },
    ...(data?.items ?? []).map(({ name, description }) => ({ value: name, label: name, note: description })),
  ];
  const broken = data?.broken.length ?? 0;
  return (
    <Field
      label="Role"
      note={broken > 0 && `${broken} role ${broken === 1 ? 'file' : 'files'} cannot be used: see Settings.`}
    >
      {({ id, describedBy }) => (
        <Select
          id={id}
          describedBy={describedBy}
          value={choices.role}
          options={options}
          onChange={(role) => onChange({ ...choices, role })}
        />
      )}
    </Field>
  );
}

interface TextChoiceProps {
  value: string;
  onChange(value: string): void;
}

function ModelField({ value, onChange }: TextChoiceProps) {
  const { data } = useModels();
  const usable = (data?.items ?? []).filter(({ usable, id }) => usable && id !== '*').map(({ name }) => name);
  const note = data?.rehearsing && 'The rehearsal answers, whichever you name.';
  return (
    <Field label="Model" note={note}>
      {({ id, describedBy }) => (
        <WithSuggestions
          id={id}
          describedBy={describedBy}
          value={value}
          onChange={onChange}
          placeholder="Default"
          suggestions={usable}
        />
      )}
    </Field>
  );
}

function DirectoryField({ value, onChange }: TextChoiceProps) {
  const directories = useDirectories();
  return (
    <Field
      label="Directory"
      note="On the server’s machine; where the agent works. Empty: where the server was started."
      className="sm:col-span-2"
    >
      {({ id, describedBy }) => (
        <WithSuggestions
          id={id}
          describedBy={describedBy}
          value={value}
          onChange={onChange}
          placeholder={directories[0] ?? '/path/to/a/project'}
          suggestions={directories}
        />
      )}
    </Field>
  );
}

interface WithSuggestionsProps extends TextChoiceProps {
  id: string;
  describedBy: string | undefined;
  placeholder: string;
  suggestions: readonly string[];
}

function WithSuggestions({
  id,
  describedBy,
  value,
  onChange,
  placeholder,
  suggestions,
}: WithSuggestionsProps) {
  const listId = useId();
  return (
    <>
      <input
        id={id}
        aria-describedby={describedBy}
        list={listId}
        value={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className={clsx(inputClasses, 'h-8.5 font-mono text-13')}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}
