// Words within a block. Never HTML: what a model writes as tags is shown as the text it is.
import { toReadable } from '@toolyard/sdk';
import type { MarkedToken, Token } from 'marked';
import type { ReactNode } from 'react';
import { Marked } from '../parts/code.tsx';
import { decodeEntities } from './entities.ts';
import { ImageLink, SafeLink } from './safe-link.tsx';

/** Tokens of its own lexer, without extensions: no others are there. */
export function isKnown(token: Token): token is MarkedToken {
  return token.type !== 'generic';
}

export function Inline({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  return tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a word of a text has no other name than its place
    <OneInline key={index} token={token} />
  ));
}

function OneInline({ token }: { token: Token }): ReactNode {
  if (!isKnown(token)) return token.raw;
  switch (token.type) {
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del className="text-soft">
          <Inline tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return <CodeSpan text={token.text} />;
    case 'br':
      return <br />;
    case 'link':
      return (
        <SafeLink href={token.href} text={token.text}>
          <Inline tokens={token.tokens} />
        </SafeLink>
      );
    case 'image':
      return <ImageLink href={token.href} text={token.text} />;
    case 'text':
    case 'escape':
      return <Words token={token} />;
    case 'html':
      return isBreak(token.raw) ? <br /> : <Marked text={token.raw} />;
    default:
      return <Marked text={token.raw} />;
  }
}

/** The one tag that is taken at its word: in a cell of a table there is no other way to break a line. */
function isBreak(raw: string): boolean {
  return raw === '<br>' || raw === '<br/>';
}

function Words({ token }: { token: MarkedToken & { type: 'text' | 'escape' } }) {
  if (token.type === 'text' && token.tokens) return <Inline tokens={token.tokens} />;
  // The lexer, too, writes out references, and what they stand for may be hidden.
  return <Marked text={toReadable(decodeEntities(token.text))} />;
}

function CodeSpan({ text }: { text: string }) {
  return (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.87em] ring-1 ring-line ring-inset wrap-anywhere">
      <Marked text={text} />
    </code>
  );
}
