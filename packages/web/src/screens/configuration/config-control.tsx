// The control of one key, as its schema demands.
import type { ConfigItem } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { inputClasses } from '../../controls/field.tsx';
import { Select } from '../../controls/select.tsx';
import { useRoles } from '../../queries/tools-data.ts';
import { toControl, toMapChoices, type Word } from './config-draft.ts';
import { MapEditor } from './map-editor.tsx';

export interface ConfigControlProps {
  id: string;
  item: ConfigItem;
  word: Word;
  isInvalid: boolean;
  onChange(word: Word): void;
}

const onOff = [
  { value: 'true', label: 'on' },
  { value: 'false', label: 'off' },
];

export function ConfigControl({ id, item, word, isInvalid, onChange }: ConfigControlProps) {
  const control = toControl(item);
  const choices = useChoices(item);
  const describedBy = clsx(`${id}-note`, isInvalid && `${id}-error`);
  if (typeof word !== 'string') {
    return <MapEditor id={id} entries={word} choices={toMapChoices(item)} onChange={onChange} />;
  }
  if (choices) {
    return (
      <Select
        id={id}
        describedBy={describedBy}
        value={word}
        options={choices}
        onChange={onChange}
        className="w-full"
      />
    );
  }
  return (
    <input
      id={id}
      autoComplete="off"
      spellCheck={false}
      inputMode={control === 'number' ? 'decimal' : 'text'}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      placeholder={control === 'list' ? 'none; separate with commas' : undefined}
      value={word}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(inputClasses, 'h-8.5', control === 'number' && 'tabular-nums')}
    />
  );
}

/** What can be chosen, when that is known. */
function useChoices(item: ConfigItem): { value: string; label: string }[] | undefined {
  const roles = useRoles().data?.items ?? [];
  const control = toControl(item);
  if (control === 'switch') return onOff;
  if (item.key === 'defaults.role' && roles.length > 0)
    return roles.map(({ name }) => ({ value: name, label: name }));
  if (control !== 'choice' || !Array.isArray(item.schema.enum)) return undefined;
  return item.schema.enum.map((one) => ({ value: String(one), label: String(one) }));
}
