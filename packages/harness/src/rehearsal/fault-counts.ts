// Remembers how often each rule has failed each exchange, for faults that happen only so many times. Bounded.
import type { Rule } from './scenario.ts';

const mostExchanges = 10_000;

export interface FaultCounts {
  /** Whether the fault is due once more. When it is not, the count starts anew for the next equal exchange. */
  take(rule: Rule, conversationKey: string, times: number | undefined): boolean;
}

export function createFaultCounts(): FaultCounts {
  const counts = new Map<string, number>();
  const ruleIds = new WeakMap<Rule, number>();
  let lastRuleId = 0;

  const idOf = (rule: Rule): number => {
    const id = ruleIds.get(rule) ?? ++lastRuleId;
    ruleIds.set(rule, id);
    return id;
  };

  return {
    take(rule, conversationKey, times) {
      if (times === undefined) return true;
      const key = `${idOf(rule)} ${conversationKey}`;
      const taken = counts.get(key) ?? 0;
      counts.delete(key);
      if (taken >= times) return false;
      counts.set(key, taken + 1);
      const oldest = counts.keys().next();
      if (counts.size > mostExchanges && !oldest.done) counts.delete(oldest.value);
      return true;
    },
  };
}
