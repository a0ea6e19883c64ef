// Colours for code. The grammars are loaded when the first code is shown; until then, and for languages that are not
// known, code is plain. Spans of our own: nothing here makes HTML.

import { Fragment, type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { Marked } from '../parts/code.tsx';
import type { Lowlight } from './grammars.ts';

const styles: Readonly<Record<string, string>> = {
  'hljs-comment': 'text-faint italic',
  'hljs-quote': 'text-faint italic',
  'hljs-keyword': 'text-accent font-medium',
  'hljs-selector-tag': 'text-accent font-medium',
  'hljs-literal': 'text-warn',
  'hljs-number': 'text-warn',
  'hljs-string': 'text-good',
  'hljs-regexp': 'text-good',
  'hljs-addition': 'text-good',
  'hljs-deletion': 'text-bad',
  'hljs-title': 'font-semibold',
  'hljs-section': 'font-semibold',
  'hljs-name': 'text-accent',
  'hljs-attr': 'text-warn',
  'hljs-attribute': 'text-warn',
  'hljs-built_in': 'text-accent',
  'hljs-type': 'text-accent',
  'hljs-meta': 'text-soft',
  'hljs-symbol': 'text-warn',
  'hljs-variable': 'text-warn',
  'hljs-template-variable': 'text-warn',
};

const listeners = new Set<() => void>();
let grammars: Lowlight | undefined;
let isAsked = false;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function load(): void {
  if (isAsked) return;
  isAsked = true;
  import('./grammars.ts')
    .then((module) => {
      grammars = module.grammars;
      for (const listener of listeners) listener();
    })
    // Plain code is code, too; the next page that opens asks again.
    .catch(() => {});
}

/** Beyond these it stays plain: patterns may need time that grows far faster than what they read. */
const maxText = 8_000;
const maxInLine = 1_000;
/** A language that once took too long is coloured only where that is sure to be quick. */
const maxOfSlow = 1_000;
const slowFromMs = 150;
const slow = new Set<string>();

export function isTooMuch(text: string, language = ''): boolean {
  const max = slow.has(language) ? maxOfSlow : maxText;
  return text.length > max || text.split('\n').some(({ length }) => length > maxInLine);
}

function highlight(known: Lowlight, language: string, text: string): ReactNode {
  const begun = performance.now();
  const { children } = known.highlight(language, text);
  if (performance.now() - begun > slowFromMs) slow.add(language);
  return toSpans(children);
}

/** The code in colours; nothing when there are none for it, or not yet. */
export function useHighlighted(text: string, language: string): ReactNode {
  if (language) load();
  const known = useSyncExternalStore(subscribe, () => grammars);
  return useMemo(() => {
    if (!known || !language || !known.registered(language) || isTooMuch(text, language)) return undefined;
    try {
      return highlight(known, language, text);
    } catch {
      return undefined;
    }
  }, [known, language, text]);
}

type Node = ReturnType<Lowlight['highlight']>['children'][number];

function toSpans(nodes: readonly Node[]): ReactNode {
  return nodes.map((node, index) => {
    const key = index;
    if (node.type === 'text') {
      return (
        <Fragment key={key}>
          <Marked text={node.value} />
        </Fragment>
      );
    }
    if (node.type !== 'element') return null;
    const { className } = node.properties;
    const classes = Array.isArray(className)
      ? className.map((name) => styles[String(name)]).find(Boolean)
      : '';
    return (
      <span key={key} className={classes || undefined}>
        {toSpans(node.children)}
      </span>
    );
  });
}
