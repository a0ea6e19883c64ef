// What a transcript draws, row by row. Pure but for what it remembers: an item that has not changed keeps its row, so
// that only what is new is drawn again.
import type { Approval, Question, SessionView, ToolItem, TranscriptItem, UserItem } from '@toolyard/sdk';
import { type Blocks, noBlocks, readMarkdown } from '../markdown/blocks.ts';
import type { Outgoing } from '../outbox/outbox.ts';

export type Row = { key: string } & (
  | { kind: 'user'; item: UserItem }
  | {
      kind: 'text';
      seq: number;
      sources: readonly string[];
      definitions: string;
      rest: string;
      isStreaming: boolean;
      /** About how high it is. */
      size: number;
    }
  | { kind: 'thinking'; text: string; isStreaming: boolean }
  /** `atOnce`: how many ran at the same time, in the first of the rows that hold them. */
  | { kind: 'tools'; items: readonly ToolItem[]; atOnce?: number }
  | { kind: 'error' | 'end'; item: TranscriptItem }
  | { kind: 'unknown'; type: string }
  | { kind: 'approval'; approval: Approval }
  | { kind: 'question'; question: Question }
  | { kind: 'working'; since: string | undefined }
  | { kind: 'queued'; item: UserItem; isNext: boolean }
  | { kind: 'outgoing'; outgoing: Outgoing }
);

const maxBlocks = 6;
const maxText = 6_000;
/** How far back something may still be running. */
const maxLookedAt = 64;
/** Of calls that ran at once, so many stand in one row. */
const maxInRow = 8;

export interface RowMaker {
  toRows(view: SessionView, outgoing: readonly Outgoing[]): Row[];
}

export function createRowMaker(): RowMaker {
  const known = new WeakMap<TranscriptItem, Row[]>();
  const groups = new WeakMap<ToolItem, Row & { kind: 'tools' }>();
  const blocks = new Map<number, Blocks>();

  function toTextRows(item: TranscriptItem & { kind: 'text' }, isStreaming: boolean): Row[] {
    // Once it is complete it is read as a whole.
    const cut = readMarkdown(item.text, (isStreaming && blocks.get(item.seq)) || noBlocks);
    if (isStreaming) blocks.set(item.seq, cut);
    else blocks.delete(item.seq);
    const { definitions, rest } = cut;
    const parts = toParts(cut.sources);
    return parts.map((sources, index) => {
      const isLast = index === parts.length - 1;
      const key = `${item.seq}.${index}`;
      const end = { rest: isLast ? rest : '', isStreaming: isStreaming && isLast };
      return { kind: 'text', key, seq: item.seq, sources, definitions, ...end, size: toSize(sources) };
    });
  }

  function toGroup(all: readonly ToolItem[]): Row[] {
    const rows: Row[] = [];
    for (let from = 0; from < all.length; from += maxInRow) {
      rows.push(...toToolsRow(all.slice(from, from + maxInRow), from === 0 ? all.length : undefined));
    }
    return rows;
  }

  function toToolsRow(items: readonly ToolItem[], atOnce: number | undefined): Row[] {
    const [first] = items;
    if (!first) return [];
    const before = groups.get(first);
    const isSame =
      before?.atOnce === atOnce &&
      before?.items.length === items.length &&
      items.every((item, at) => item === before.items[at]);
    const made = { kind: 'tools' as const, key: `${first.seq}`, items, ...(atOnce && { atOnce }) };
    const row = isSame && before ? before : made;
    groups.set(first, row);
    return [row];
  }

  /** A text that is being written is made anew each time; its blocks are not. */
  function toItemRows(item: TranscriptItem, isStreaming: boolean): Row[] {
    const before = isStreaming ? undefined : known.get(item);
    if (before) return before;
    const rows = item.kind === 'text' ? toTextRows(item, isStreaming) : toSimpleRows(item, isStreaming);
    if (!isStreaming) known.set(item, rows);
    return rows;
  }

  return {
    toRows(view, outgoing) {
      const { items, turnId } = view;
      const rows: Row[] = [];
      for (let at = 0; at < items.length; at++) {
        const item = items[at];
        if (!item) continue;
        if (item.kind !== 'tool') {
          if (!isSaidAgain(item, items[at + 1]))
            rows.push(...toItemRows(item, turnId !== undefined && at === items.length - 1));
          continue;
        }
        const group = takeGroup(items, at);
        rows.push(...toGroup(group));
        at += group.length - 1;
      }
      return [...rows, ...toEndRows(view, outgoing)];
    },
  };
}

/** The end of a turn says by itself which error it was. */
function isSaidAgain(item: TranscriptItem, next: TranscriptItem | undefined): boolean {
  return item.kind === 'error' && next?.kind === 'end' && next.error?.message === item.error.message;
}

function toSimpleRows(item: TranscriptItem, isStreaming: boolean): Row[] {
  const key = `${item.seq}`;
  if (item.kind === 'user') return [{ kind: 'user', key, item }];
  if (item.kind === 'thinking') return [{ kind: 'thinking', key, text: item.text, isStreaming }];
  if (item.kind === 'error') return [{ kind: 'error', key, item }];
  if (item.kind === 'unknown') return [{ kind: 'unknown', key, type: item.type }];
  // A call made beside the turns says itself how it ended.
  if (item.kind === 'end') return item.isBeside ? [] : [{ kind: 'end', key, item }];
  return [];
}

/** Calls that follow each other and ran at the same time. */
function takeGroup(items: readonly TranscriptItem[], from: number): ToolItem[] {
  const group: ToolItem[] = [];
  let endSeq = Number.POSITIVE_INFINITY;
  for (let at = from; at < items.length; at++) {
    const item = items[at];
    if (item?.kind !== 'tool' || item.seq > endSeq) break;
    group.push(item);
    endSeq = Math.min(endSeq, item.endSeq ?? Number.POSITIVE_INFINITY);
  }
  return group;
}

function toSize(sources: readonly string[]): number {
  return Math.min(
    2_000,
    sources.reduce((sum, { length }) => sum + 36 + length / 4, 8),
  );
}

function toParts(sources: readonly string[]): string[][] {
  const parts: string[][] = [];
  let length = 0;
  for (const source of sources) {
    const last = parts.at(-1);
    if (!last || last.length >= maxBlocks || length > maxText) {
      parts.push([source]);
      length = 0;
    } else last.push(source);
    length += source.length;
  }
  return parts;
}

/** What is asked about calls that this log does not hold: those of agents below. */
function findElsewhere({ approvals, items }: SessionView): readonly Approval[] {
  if (approvals.length === 0) return approvals;
  const called = new Set(items.map((item) => (item.kind === 'tool' ? item.toolCallId : '')));
  return approvals.filter(({ toolCallId }) => !called.has(toolCallId));
}

/** What stands below the transcript: what is asked, that it works, and what waits to be heard. */
function toEndRows(view: SessionView, outgoing: readonly Outgoing[]): Row[] {
  const elsewhere = findElsewhere(view);
  return [
    ...elsewhere.map((approval): Row => ({ kind: 'approval', key: approval.id, approval })),
    ...view.questions.map((question): Row => ({ kind: 'question', key: question.id, question })),
    ...(isSilent(view) ? [{ kind: 'working' as const, key: 'working', since: view.turnSince }] : []),
    ...view.queued.map((item, at): Row => ({ kind: 'queued', key: `q${item.seq}`, item, isNext: at === 0 })),
    ...outgoing
      .filter(({ seq }) => seq === undefined || seq > view.lastSeq)
      .map((each): Row => ({ kind: 'outgoing', key: each.key, outgoing: each })),
  ];
}

/** It works, and nothing on the page shows it. */
function isSilent({ status, turnId, items }: SessionView): boolean {
  if (status !== 'running' || turnId === undefined) return false;
  const last = items.at(-1);
  if (last?.kind === 'text' || last?.kind === 'thinking') return false;
  return !items.slice(-maxLookedAt).some((item) => item.kind === 'tool' && item.endSeq === undefined);
}
