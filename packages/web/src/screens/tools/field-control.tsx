// The control of one field of a tool's input, as its schema demands.
import { toVisibleLine } from '@toolyard/sdk';
import { Field, type FieldProps, TextArea, TextField } from '../../controls/field.tsx';
import { Select } from '../../controls/select.tsx';
import { Switch } from '../../controls/switch.tsx';
import type { SchemaField } from './schema-fields.ts';

export interface FieldControlProps {
  field: SchemaField;
  value: string;
  problem: string | undefined;
  onChange(value: string): void;
}

export function FieldControl({ field, value, problem, onChange }: FieldControlProps) {
  const label = `${toVisibleLine(field.name)}${field.required ? '' : ' (optional)'}`;
  const note = [
    toVisibleLine(field.description),
    field.control === 'choice' ? '' : toVisibleLine(field.bounds),
  ]
    .filter(Boolean)
    .join(' · ');
  const common = { label, note: note || undefined, error: problem };
  if (field.control === 'switch') {
    return (
      <Switch
        label={label}
        note={note || undefined}
        checked={value === 'true'}
        onChange={(on) => onChange(String(on))}
      />
    );
  }
  if (field.control === 'choice')
    return <Choice field={field} value={value} onChange={onChange} common={common} />;
  if (field.control === 'json') {
    return (
      <TextArea
        {...common}
        mono
        placeholder={toVisibleLine(`JSON: ${field.type}`)}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  const isNumber = field.control === 'number';
  return (
    <TextField
      {...common}
      inputMode={isNumber ? 'decimal' : 'text'}
      placeholder={field.standard === undefined ? undefined : `default: ${JSON.stringify(field.standard)}`}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const unset = '·unset';

interface ChoiceProps extends Omit<FieldControlProps, 'problem'> {
  common: FieldProps;
}

function Choice({ field, value, onChange, common }: ChoiceProps) {
  const none = field.required ? [] : [{ value: unset, label: 'not set' }];
  const options = [...none, ...field.choices.map((one) => ({ value: one, label: one }))];
  return (
    <Field {...common}>
      {({ id, describedBy }) => (
        <Select
          id={id}
          describedBy={describedBy}
          value={value || unset}
          options={options}
          onChange={(next) => onChange(next === unset ? '' : next)}
        />
      )}
    </Field>
  );
}
