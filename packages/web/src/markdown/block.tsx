// One block of Markdown: a paragraph, a heading, a list, a table, code. Drawn again only when its own source changes.
import { toReadable } from '@toolyard/sdk';
import { clsx } from 'clsx';
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { memo, type ReactNode } from 'react';
import { Marked } from '../parts/code.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { isFence, isNote, maxInBlock } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { Inline, isKnown } from './inline.tsx';

export interface BlockProps {
  source: string;
  definitions: string;
  /** It is still being written. */
  isOpen: boolean;
}

export const Block = memo(function Block({ source, definitions, isOpen }: BlockProps) {
  if (source.length > maxInBlock && !isFence(source)) return <PlainText text={source} />;
  return <BlockTokens tokens={readTokens(source, definitions)} isOpen={isOpen} />;
});

function readTokens(source: string, definitions: string): Token[] {
  const text = definitions && source.includes('[') ? `${source}\n\n${definitions.slice(0, 20_000)}` : source;
  try {
    return Lexer.lex(text);
  } catch {
    return [{ type: 'text', raw: source, text: source }];
  }
}

function BlockTokens({ tokens, isOpen = false }: { tokens: readonly Token[]; isOpen?: boolean }): ReactNode {
  return tokens.map((token, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a part of a block has no other name than its place
    isKnown(token) ? <OneBlock key={index} token={token} isOpen={isOpen} /> : token.raw,
  );
}

function OneBlock({ token, isOpen }: { token: MarkedToken; isOpen: boolean }): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return (
        <p dir="auto">
          <Inline tokens={token.tokens} />
        </p>
      );
    case 'heading':
      return <Heading token={token} />;
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} isOpen={isOpen} />;
    case 'blockquote':
      return (
        <blockquote
          dir={toDirection(token.raw)}
          className="flex flex-col gap-2 border-s-2 border-line ps-3.5 text-soft"
        >
          <BlockTokens tokens={token.tokens} />
        </blockquote>
      );
    case 'list':
      return <List token={token} />;
    case 'table':
      return <MarkdownTable token={token} />;
    case 'hr':
      return <hr className="my-1" />;
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : <Marked text={toReadable(token.text)} />;
    case 'html':
      return <PlainText text={token.raw.trimEnd()} />;
    case 'def':
      return isNote(token) && <p dir="auto">{token.raw.trimEnd()}</p>;
    case 'space':
    case 'checkbox':
      return null;
    default:
      return <Inline tokens={[token]} />;
  }
}

/** The page has its own first and second headings. */
const headings = [
  { Tag: 'h3', classes: 'text-xl' },
  { Tag: 'h3', classes: 'text-lg' },
  { Tag: 'h4', classes: 'text-base' },
  { Tag: 'h5', classes: 'text-15' },
] as const;

function Heading({ token: { depth, tokens } }: { token: Tokens.Heading }) {
  const { Tag, classes } = headings[Math.min(depth, 4) - 1] ?? headings[3];
  return (
    <Tag dir="auto" className={`mt-2 font-semibold first:mt-0 ${classes}`}>
      <Inline tokens={tokens} />
    </Tag>
  );
}

function List({ token: { ordered, start, items, loose, raw } }: { token: Tokens.List }) {
  const entries = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an entry of a list has no other name than its place
    <li key={index} className={clsx('[unicode-bidi:plaintext]', item.task ? '-ms-5 list-none' : 'ps-0.5')}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          disabled
          aria-label={item.checked ? 'done' : 'not done'}
          className="me-1.5 translate-y-px accent-accent"
        />
      )}
      <BlockTokens tokens={item.tokens} />
    </li>
  ));
  const dir = toDirection(raw);
  // An entry that runs the other way stays beside its bullet.
  const side = dir === 'rtl' ? 'text-right' : 'text-left';
  const spacing = `flex flex-col ps-5.5 ${side} ${loose ? 'gap-2 [&_p+ul]:mt-2' : 'gap-1'}`;
  if (!ordered)
    return (
      <ul dir={dir} className={`${spacing} list-disc marker:text-faint`}>
        {entries}
      </ul>
    );
  return (
    <ol
      dir={dir}
      start={start || 1}
      className={`${spacing} list-decimal marker:text-faint marker:tabular-nums`}
    >
      {entries}
    </ol>
  );
}

const aligned = { start: 'text-start', left: 'text-left', right: 'text-right', center: 'text-center' };

/** A table of Markdown. It scrolls by itself when it is wider than the page. */
function MarkdownTable({ token: { header, rows, raw } }: { token: Tokens.Table }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Table"
      className="overflow-x-auto rounded-lg border"
    >
      <table dir={toDirection(raw)} className="w-full border-collapse text-sm">
        <thead className="bg-sunken">
          <tr>{header.map((cell, index) => toCell(cell, index))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name than its place
            <tr key={index} className="border-t">
              {row.map((cell, column) => toCell(cell, column))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function toCell({ tokens, header, align }: Tokens.TableCell, index: number) {
  const classes = `px-3 py-1.5 align-top ${aligned[align ?? 'start']}`;
  if (!header) {
    return (
      <td key={index} dir="auto" className={classes}>
        <Inline tokens={tokens} />
      </td>
    );
  }
  return (
    <th key={index} dir="auto" scope="col" className={`${classes} font-medium`}>
      <Inline tokens={tokens} />
    </th>
  );
}

const letter = /\p{L}/u;
const fromRight =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;

/** Which way a text runs, by its first letter: for what has a side, a list's bullets or a quote's line. */
function toDirection(text: string): 'ltr' | 'rtl' {
  const [first] = letter.exec(text) ?? [];
  return first && fromRight.test(first) ? 'rtl' : 'ltr';
}
