// Settings that somebody else saved while they were being changed here: told, and never written over unseen. Pure.
import type { ConfigItem } from '@toolyard/sdk';
import { type Draft, isChanged, savedValue } from './config-draft.ts';

/** By key, what was saved when a person began to change it. */
export type Begun = Readonly<Record<string, string>>;

export function toBegun(begun: Begun, draft: Draft, item: ConfigItem): Begun {
  return item.key in draft ? begun : { ...begun, [item.key]: toSaved(item) };
}

/** Those of which another value is saved by now, and would be overwritten. */
export function findConflicts(items: readonly ConfigItem[], draft: Draft, begun: Begun): ConfigItem[] {
  return items.filter((item) => {
    const before = begun[item.key];
    return before !== undefined && isChanged(item, draft) && before !== toSaved(item);
  });
}

/** Whoever was told of them and saves all the same means it. */
export function toAcknowledged(begun: Begun, moved: readonly ConfigItem[]): Begun {
  return { ...begun, ...Object.fromEntries(moved.map((item) => [item.key, toSaved(item)])) };
}

function toSaved(item: ConfigItem): string {
  return JSON.stringify(savedValue(item)) ?? '';
}
