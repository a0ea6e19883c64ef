// A form made of a JSON Schema, with JSON in its place for whoever prefers it or whatever it cannot show.
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import { TextArea } from '../../controls/field.tsx';
import { Segments } from '../../controls/segments.tsx';
import { FieldControl } from './field-control.tsx';
import { type Draft, isSchema, parseJson, toFields, toInput } from './schema-fields.ts';

export interface ToolFormProps {
  schema: Record<string, unknown>;
  disabled: boolean;
  submit: ReactNode;
  /** Somebody has typed. */
  onChange(): void;
  onSubmit(input: Record<string, unknown>): void;
}

export function ToolForm({ schema, disabled, submit, onChange, onSubmit }: ToolFormProps) {
  const fields = useMemo(() => toFields(schema), [schema]);
  const [way, setWay] = useState<'form' | 'json'>(fields ? 'form' : 'json');
  const [draft, setDraft] = useState<Draft>({});
  const [json, setJson] = useState('{}');
  const [problems, setProblems] = useState<Record<string, string>>({});

  function changeWay(next: 'form' | 'json'): void {
    if (next === 'json' && fields) setJson(JSON.stringify(toInput(fields, draft).input, undefined, 2));
    setProblems({});
    setWay(next);
  }
  function send(event: FormEvent): void {
    event.preventDefault();
    const wanted = way === 'form' && fields ? toInput(fields, draft) : fromJson(json);
    setProblems(wanted.problems);
    if (Object.keys(wanted.problems).length === 0) onSubmit(wanted.input);
  }
  return (
    <form onSubmit={send} className="flex flex-col gap-3">
      {fields && fields.length > 0 && (
        <div>
          <Segments label="Input as" value={way} options={ways} onChange={changeWay} />
        </div>
      )}
      <fieldset disabled={disabled} onChange={onChange} className="flex flex-col gap-3">
        <legend className="sr-only">Input</legend>
        {way === 'json' ? (
          <TextArea
            label="Input, as JSON"
            mono
            rows={6}
            value={json}
            error={problems.json}
            onChange={(event) => setJson(event.target.value)}
          />
        ) : fields?.length === 0 ? (
          <p className="text-sm text-soft">It takes no input.</p>
        ) : (
          fields?.map((field) => (
            <FieldControl
              key={field.name}
              field={field}
              value={draft[field.name] ?? ''}
              problem={problems[field.name]}
              onChange={(value) => setDraft((before) => ({ ...before, [field.name]: value }))}
            />
          ))
        )}
      </fieldset>
      <div>{submit}</div>
    </form>
  );
}

const ways = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

function fromJson(text: string): { input: Record<string, unknown>; problems: Record<string, string> } {
  const value = parseJson(text);
  if (isSchema(value)) return { input: value, problems: {} };
  return { input: {}, problems: { json: 'Write a JSON object, such as {"name": "value"}.' } };
}
