// Picks the rule that answers a conversation: the first whose every condition holds.
import type { Conversation, ToolResult } from '../request/conversation.ts';
import type { FaultCounts } from './fault-counts.ts';
import { type Captures, matchPhrase, toComparable } from './phrase.ts';
import { type ResultCondition, type Rule, toList, type When } from './scenario.ts';
import type { TemplateScope } from './template.ts';

export interface Choice {
  rule: Rule;
  scope: TemplateScope;
  /** The rule's `fail` or `cut` applies this time. */
  isFaulty: boolean;
}

export function chooseRule(
  rules: Rule[],
  conversation: Conversation,
  counts: FaultCounts,
): Choice | undefined {
  for (const rule of rules) {
    const scope = matchRule(rule.when, conversation);
    if (!scope) continue;
    const fault = rule.fail ?? rule.cut;
    const isFaulty = fault !== undefined && counts.take(rule, conversation.key, fault.times);
    if (!isFaulty && !rule.reply) continue;
    if (!isFaulty) counts.forget(conversation.key);
    return { rule, scope, isFaulty };
  }
  return undefined;
}

function matchRule(when: When, conversation: Conversation): TemplateScope | undefined {
  const { tools, step, user } = conversation;
  if (when.tools && !when.tools.every((name) => tools.includes(name))) return undefined;
  if (when.toolsAbsent?.some((name) => tools.includes(name))) return undefined;
  if (!fitsStep(when.step, step)) return undefined;
  if (when.images !== undefined && when.images !== (conversation.images !== '')) return undefined;
  if (when.files !== undefined && when.files !== (conversation.files !== '')) return undefined;
  if (when.userIs !== undefined && !toList(when.userIs).some((text) => isSame(text, user))) return undefined;
  const captures = when.user === undefined ? {} : matchAny(toList(when.user), user);
  const results = fittingResults(toList(when.results), conversation.results);
  return captures && results ? { conversation, captures, results } : undefined;
}

function fitsStep(wanted: When['step'], step: number): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === 'number') return step === wanted;
  return step >= (wanted.min ?? 0) && step <= (wanted.max ?? Number.POSITIVE_INFINITY);
}

function isSame(wanted: string, text: string): boolean {
  return toComparable(wanted) === toComparable(text);
}

function matchAny(phrases: string[], text: string): Captures | undefined {
  for (const phrase of phrases) {
    const captures = matchPhrase(phrase, text);
    if (captures) return captures;
  }
  return undefined;
}

/** The results that fit some condition, unless a condition is left that none fits. */
function fittingResults(conditions: ResultCondition[], results: ToolResult[]): ToolResult[] | undefined {
  if (conditions.length === 0) return results;
  if (!conditions.every((condition) => results.some((result) => fits(condition, result)))) return undefined;
  return results.filter((result) => conditions.some((condition) => fits(condition, result)));
}

function fits({ tool, isError, contains }: ResultCondition, result: ToolResult): boolean {
  if (tool !== undefined && tool !== result.tool) return false;
  if (isError !== undefined && isError !== result.isError) return false;
  return contains === undefined || result.text.toLowerCase().includes(contains.toLowerCase());
}
