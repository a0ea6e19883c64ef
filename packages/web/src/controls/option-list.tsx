// The open list of a select: it has the focus, arrows and letters choose, Enter takes.
import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

export interface SelectOption<Value extends string> {
  value: Value;
  label: ReactNode;
  /** A line below it in the open list. */
  note?: ReactNode;
  disabled?: boolean | undefined;
}

export interface OptionListProps<Value extends string> {
  id: string;
  label: string;
  value: Value;
  options: readonly SelectOption<Value>[];
  onChoose(value: Value): void;
}

export function OptionList<Value extends string>(props: OptionListProps<Value>) {
  const { id, options, value } = props;
  const { list, at, setAt, choose, onKeyDown } = useOptions(props);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={props.label}
      aria-activedescendant={`${id}-${at}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="outline-none"
    >
      {options.map((option, index) => (
        <Row
          key={option.value}
          id={`${id}-${index}`}
          option={option}
          isChosen={option.value === value}
          isPointed={index === at}
          onPoint={() => setAt(index)}
          onChoose={() => choose(option)}
        />
      ))}
    </div>
  );
}

function useOptions<Value extends string>({ options, value, onChoose }: OptionListProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex((one) => one.value === value),
    ),
  );
  useEffect(() => {
    list.current?.focus();
  }, []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const choose = (option: SelectOption<Value> | undefined) => {
    if (option && !option.disabled) onChoose(option.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNext(event.key, at, options);
    if (event.key === 'Enter' || event.key === ' ' || event.key === 'Tab') choose(options[at]);
    else if (next === undefined) return;
    else setAt(next);
    event.preventDefault();
  };
  return { list, at, setAt, choose, onKeyDown };
}

interface RowProps {
  id: string;
  option: SelectOption<string>;
  isChosen: boolean;
  isPointed: boolean;
  onPoint(): void;
  onChoose(): void;
}

function Row({ id, option, isChosen, isPointed, onPoint, onChoose }: RowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus and names this one
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={option.disabled || undefined}
      onPointerMove={onPoint}
      onClick={onChoose}
      className={clsx(
        'flex min-h-8 cursor-pointer items-center gap-3 rounded-lg px-2.5 py-1 select-none aria-disabled:cursor-default aria-disabled:opacity-50',
        isPointed && 'bg-hover',
      )}
    >
      <span className="min-w-0 flex-1">
        <span className="block">{option.label}</span>
        {option.note && <span className="block text-xs text-faint">{option.note}</span>}
      </span>
      <Check className={clsx('size-4 shrink-0 text-accent', !isChosen && 'invisible')} aria-hidden="true" />
    </div>
  );
}

function toNext(key: string, at: number, options: readonly SelectOption<string>[]): number | undefined {
  const last = options.length - 1;
  if (key === 'ArrowDown') return Math.min(at + 1, last);
  if (key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  return key.length === 1 && key !== ' ' ? findByLetter(key.toLowerCase(), at, options) : undefined;
}

/** The next one, going round, whose words begin with that letter. */
function findByLetter(letter: string, at: number, options: readonly SelectOption<string>[]): number {
  const begins = ({ label, value }: SelectOption<string>) =>
    (typeof label === 'string' ? label : value).toLowerCase().startsWith(letter);
  const after = options.findIndex((option, index) => index > at && begins(option));
  return after >= 0 ? after : Math.max(options.findIndex(begins), 0);
}
