// Amounts over time, a bar for each moment, stacked by group. With keys: left and right, Home and End. What it shows is
// said in words for each bar; the same as a table stands beside it.
import { type KeyboardEvent, useRef, useState } from 'react';

export interface Bar {
  key: string;
  /** All of it in words, for those who do not see it. */
  label: string;
  axisLabel: string;
  /** From the bottom up. */
  parts: readonly { key: string; amount: number; colour: string }[];
}

export interface StackedBarsProps {
  label: string;
  bars: readonly Bar[];
  ceiling: number;
  /** Words for an amount on the scale. */
  formatAmount(amount: number): string;
  active: number | undefined;
  onActive(place: number | undefined): void;
}

const width = 1_000;
const height = 240;
const lines = [1, 0.75, 0.5, 0.25, 0];

export function StackedBars({ label, bars, ceiling, formatAmount, active, onActive }: StackedBarsProps) {
  return (
    <div className="flex gap-2">
      <ol
        aria-hidden="true"
        className="flex h-60 shrink-0 flex-col justify-between text-right text-11 leading-none text-faint tabular-nums"
      >
        {lines.map((line) => (
          <li key={line} className="-my-1">
            {formatAmount(ceiling * line)}
          </li>
        ))}
      </ol>
      <div className="min-w-0 flex-1">
        <div className="relative">
          <Drawing bars={bars} ceiling={ceiling} active={active} />
          <Handles label={label} bars={bars} onActive={onActive} />
        </div>
        <Axis bars={bars} />
      </div>
    </div>
  );
}

function Drawing({ bars, ceiling, active }: Pick<StackedBarsProps, 'bars' | 'ceiling' | 'active'>) {
  const each = width / Math.max(1, bars.length);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="block h-60 w-full"
    >
      {active !== undefined && (
        <rect x={active * each} y={0} width={each} height={height} className="fill-hover" />
      )}
      {lines.map((line) => (
        <line
          key={line}
          x1={0}
          x2={width}
          y1={height * (1 - line)}
          y2={height * (1 - line)}
          className="stroke-line"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {bars.map((bar, index) => (
        <OneBar key={bar.key} bar={bar} x={index * each} each={each} ceiling={ceiling} />
      ))}
    </svg>
  );
}

interface OneBarProps {
  bar: Bar;
  x: number;
  each: number;
  ceiling: number;
}

function OneBar({ bar, x, each, ceiling }: OneBarProps) {
  const gap = Math.min(each * 0.18, 6);
  let top = height;
  return bar.parts.map(({ key, amount, colour }) => {
    const length = (amount / ceiling) * height;
    top -= length;
    return (
      <rect key={key} x={x + gap} y={top} width={each - 2 * gap} height={length} style={{ fill: colour }} />
    );
  });
}

/** Over each bar, something to point at and to move to. One of them is in the order of the Tab key. */
function Handles({ label, bars, onActive }: Pick<StackedBarsProps, 'label' | 'bars' | 'onActive'>) {
  const [place, setPlace] = useState(bars.length - 1);
  const frame = useRef<HTMLDivElement>(null);
  const last = bars.length - 1;
  const focusable = Math.min(place, last);

  function move(event: KeyboardEvent): void {
    const places: Record<string, number> = {
      ArrowLeft: focusable - 1,
      ArrowRight: focusable + 1,
      Home: 0,
      End: last,
    };
    const wanted = places[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, wanted));
    setPlace(next);
    frame.current?.querySelector<HTMLElement>(`[data-place="${next}"]`)?.focus();
  }
  return (
    <div
      ref={frame}
      role="toolbar"
      aria-label={label}
      aria-orientation="horizontal"
      className="absolute inset-0 flex"
      onKeyDown={move}
      onMouseLeave={() => onActive(undefined)}
    >
      {bars.map((bar, index) => (
        <button
          key={bar.key}
          type="button"
          data-place={index}
          tabIndex={index === focusable ? 0 : -1}
          aria-label={bar.label}
          className="h-full min-w-0 flex-1 rounded-xs -outline-offset-1"
          onMouseEnter={() => onActive(index)}
          onClick={() => onActive(index)}
          onFocus={() => {
            setPlace(index);
            onActive(index);
          }}
          onBlur={() => onActive(undefined)}
        />
      ))}
    </div>
  );
}

const maxLabels = 6;

function Axis({ bars }: { bars: readonly Bar[] }) {
  const every = Math.ceil(bars.length / maxLabels);
  return (
    <ol aria-hidden="true" className="mt-1.5 flex text-11 text-faint tabular-nums">
      {bars.map((bar, index) => (
        <li key={bar.key} className="relative h-4 min-w-0 flex-1">
          {(bars.length - 1 - index) % every === Math.floor(every / 2) && (
            <span className="absolute left-1/2 -translate-x-1/2 whitespace-nowrap">{bar.axisLabel}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
