// What a tool takes, field by field; the schema itself for those who want it.
import { toVisibleLine } from '@toolyard/sdk';
import { Badge } from '../../parts/badge.tsx';
import { Code } from '../../parts/code.tsx';
import { type SchemaField, toFields } from './schema-fields.ts';

export interface SchemaViewProps {
  schema: Record<string, unknown>;
  /** What a tool answers, where nobody has to fill anything in. */
  isAnswer?: boolean | undefined;
}

export function SchemaView({ schema, isAnswer = false }: SchemaViewProps) {
  const fields = toFields(schema);
  return (
    <div className="flex flex-col gap-2">
      {fields?.length === 0 && (
        <p className="text-sm text-soft">{isAnswer ? 'It answers nothing.' : 'It takes nothing.'}</p>
      )}
      {fields && fields.length > 0 && (
        <dl className="divide-y rounded-lg border">
          {fields.map((field) => (
            <FieldRow key={field.name} field={field} isAnswer={isAnswer} />
          ))}
        </dl>
      )}
      <details>
        <summary className="cursor-pointer text-13 text-faint hover:text-ink">JSON Schema</summary>
        <Code text={JSON.stringify(schema, undefined, 2)} copy label="JSON Schema" className="mt-2" />
      </details>
    </div>
  );
}

function FieldRow({ field, isAnswer }: { field: SchemaField; isAnswer: boolean }) {
  const standard = field.standard === undefined ? '' : `default ${JSON.stringify(field.standard)}`;
  return (
    <div className="px-3 py-2">
      <dt className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-13 font-medium">{toVisibleLine(field.name)}</code>
        <span className="font-mono text-xs text-soft">{toVisibleLine(field.type)}</span>
        {field.required && !isAnswer && <Badge tone="accent">required</Badge>}
        <span className="text-xs text-faint">
          {[toVisibleLine(field.bounds), toVisibleLine(standard)].filter(Boolean).join(' · ')}
        </span>
      </dt>
      {field.description && <dd className="mt-0.5 text-13 text-soft">{toVisibleLine(field.description)}</dd>}
    </div>
  );
}
