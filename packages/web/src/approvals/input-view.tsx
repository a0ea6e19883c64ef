// An input exactly as it would run, field by field, nothing hidden and nothing cut without saying so.
import { toVisibleLine } from '@toolyard/sdk';
import { useMemo } from 'react';
import { toPrettyJson } from '../text/flat-json.ts';
import { TextExcerpt } from '../text/text-excerpt.tsx';

const maxFields = 20;

export interface InputViewProps {
  value: unknown;
  /** It is about to be approved. */
  isStrict?: boolean | undefined;
  startsWhole?: boolean | undefined;
}

export function InputView({ value, ...how }: InputViewProps) {
  const fields = toFields(value);
  if (fields?.length === 0) return <p className="text-sm text-faint">No input.</p>;
  if (!fields) return <ValueView value={value} label="Input" {...how} />;
  return (
    <dl className="flex flex-col gap-1.5">
      {fields.map(([name, field]) => (
        <Field key={name} name={toVisibleLine(name)} value={field} {...how} />
      ))}
    </dl>
  );
}

/** What fits on a line stands beside its name. */
function Field({ name, value, ...how }: InputViewProps & { name: string }) {
  const isShort = typeof value === 'string' ? value.length <= 72 && !value.includes('\n') : !isDeep(value);
  return (
    <div className={isShort ? 'items-baseline gap-x-2 sm:grid sm:grid-cols-[7rem_1fr]' : undefined}>
      <dt className="truncate pb-0.5 font-mono text-xs text-faint" title={name}>
        {name}
      </dt>
      <dd className="min-w-0">
        <ValueView value={value} label={name} {...how} />
      </dd>
    </div>
  );
}

function isDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** The fields of a plain object whose names are short enough to stand beside their values. */
function toFields(value: unknown): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = Object.entries(value);
  const isShort = fields.length <= maxFields && fields.every(([name]) => name.length <= 80);
  return isShort ? fields : undefined;
}

function ValueView({ value, label, ...how }: InputViewProps & { label: string }) {
  const text = useMemo(() => (typeof value === 'string' ? value : toPrettyJson(value)), [value]);
  return <TextExcerpt text={text} label={label} {...how} />;
}
