// One key: what it is for, who said what holds, and its control or where it is set instead.
import { type ConfigItem, toVisibleLine } from '@toolyard/sdk';
import { RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { IconButton } from '../../controls/button.tsx';
import { Badge } from '../../parts/badge.tsx';
import { InlineCode } from '../../parts/code.tsx';
import { ConfigControl } from './config-control.tsx';
import { savedValue, toWord, type Word } from './config-draft.ts';
import { formatUnit, formatValue, sources } from './format-config.ts';

export interface ConfigRowProps {
  item: ConfigItem;
  /** What was typed; `null` for the default, absent when nothing was. */
  word: Word | null | undefined;
  isChanged: boolean;
  error: string | undefined;
  onChange(word: Word | null): void;
}

export function ConfigRow({ item, word, isChanged, error, onChange }: ConfigRowProps) {
  const id = useId();
  const shown =
    word === undefined ? toWord(item, savedValue(item)) : word === null ? toWord(item, item.default) : word;
  const isDefault = word === null || (word === undefined && item.source === 'default');
  const unit = typeof shown === 'string' ? formatUnit(item.key, shown) : undefined;
  return (
    <div className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[1fr_minmax(15rem,22rem)]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Name id={id} item={item} isOne={item.editable && typeof shown === 'string'} />
          {isChanged ? (
            <Badge tone="accent">not saved</Badge>
          ) : (
            <Badge tone={item.source === 'file' ? 'accent' : 'neutral'}>{sources[item.source]}</Badge>
          )}
          {item.afterRestart !== undefined && <Badge tone="warn">counts after a restart</Badge>}
        </div>
        <p id={`${id}-note`} className="mt-0.5 text-13 text-soft">
          {item.description}
        </p>
        {item.afterRestart !== undefined && (
          <p className="text-13 text-warn">
            Until then it is <InlineCode text={formatValue(item.value)} />.
          </p>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        {item.editable ? (
          <div className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <ConfigControl
                id={id}
                item={item}
                word={shown}
                isInvalid={error !== undefined}
                onChange={onChange}
              />
            </div>
            {!isDefault && (
              <IconButton
                label={`Back to the default: ${toVisibleLine(formatValue(item.default))}`}
                onClick={() => onChange(null)}
              >
                <RotateCcw className="size-3.5" />
              </IconButton>
            )}
          </div>
        ) : (
          <>
            <span className="wrap-anywhere">
              <InlineCode text={formatValue(item.value)} />
            </span>
            <p className="text-13 text-faint">{item.where}</p>
          </>
        )}
        {unit && !error && <p className="text-13 text-faint">{unit}</p>}
        {error && (
          <p id={`${id}-error`} role="alert" className="text-13 text-bad wrap-anywhere">
            {toVisibleLine(error)}
          </p>
        )}
      </div>
    </div>
  );
}

/** The label of its control, when it has one and not several. */
function Name({ id, item, isOne }: { id: string; item: ConfigItem; isOne: boolean }) {
  const common = { id: `${id}-label`, className: 'font-mono text-13 font-medium', children: item.key };
  // biome-ignore lint/a11y/noLabelWithoutControl: the key is its text
  return isOne ? <label htmlFor={id} {...common} /> : <span {...common} />;
}
