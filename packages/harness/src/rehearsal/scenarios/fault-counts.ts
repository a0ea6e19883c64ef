// Remembers how often each rule has failed each exchange, for faults that happen only so many times. Bounded.
import type { Rule } from './scenario.ts';

const maxExchanges = 10_000;

export interface FaultCounts {
  /** Whether the fault is due once more; if so, it is counted. */
  take(rule: Rule, conversationKey: string, times: number | undefined): boolean;
  /** The exchange got its answer: an equal one later starts from nothing. */
  forget(conversationKey: string): void;
}

export function createFaultCounts(): FaultCounts {
  const exchanges = new Map<string, Map<Rule, number>>();

  return {
    take(rule, conversationKey, times) {
      if (times === undefined) return true;
      const counts = exchanges.get(conversationKey) ?? new Map<Rule, number>();
      const taken = counts.get(rule) ?? 0;
      if (taken >= times) return false;
      counts.set(rule, taken + 1);
      exchanges.set(conversationKey, counts);
      const oldest = exchanges.keys().next();
      if (exchanges.size > maxExchanges && !oldest.done) exchanges.delete(oldest.value);
      return true;
    },
    forget(conversationKey) {
      exchanges.delete(conversationKey);
    },
  };
}
