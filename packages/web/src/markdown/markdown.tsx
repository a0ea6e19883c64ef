// Markdown as React elements of our own. Blocks that are complete are not drawn again while more comes in.
import { memo, useRef } from 'react';
import { PlainText } from '../text/plain-text.tsx';
import { Block } from './block.tsx';
import { noBlocks, readMarkdown } from './blocks.ts';

export interface MarkdownProps {
  text: string;
  /** More is coming. */
  isStreaming?: boolean | undefined;
}

export function Markdown({ text, isStreaming = false }: MarkdownProps) {
  const before = useRef(noBlocks);
  const blocks = readMarkdown(text, before.current);
  before.current = blocks;
  return (
    <MarkdownBlocks
      sources={blocks.sources}
      definitions={blocks.definitions}
      rest={blocks.rest}
      isStreaming={isStreaming}
    />
  );
}

export interface MarkdownBlocksProps {
  sources: readonly string[];
  definitions: string;
  rest?: string;
  /** The last of these blocks is not complete. */
  isStreaming: boolean;
}

export const MarkdownBlocks = memo(function MarkdownBlocks(props: MarkdownBlocksProps) {
  const { sources, definitions, rest, isStreaming } = props;
  return (
    <div className="flex flex-col gap-3 wrap-anywhere">
      {sources.map((source, index) => (
        <Block
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
          key={index}
          source={source}
          definitions={definitions}
          isOpen={isStreaming && index === sources.length - 1}
        />
      ))}
      {rest && <PlainText text={rest} />}
    </div>
  );
}, isSame);

function isSame(a: MarkdownBlocksProps, b: MarkdownBlocksProps): boolean {
  return (
    a.isStreaming === b.isStreaming &&
    a.rest === b.rest &&
    a.definitions === b.definitions &&
    a.sources.length === b.sources.length &&
    a.sources.every((source, index) => source === b.sources[index])
  );
}
