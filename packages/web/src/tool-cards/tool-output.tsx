// What a call answered. One that was cut for the model can be read whole; one whose outcome nobody knows says what to do.
import type { ToolItem } from '@toolyard/sdk';
import { useMemo } from 'react';
import { InputView } from '../approvals/input-view.tsx';
import { toPrettyJson } from '../text/flat-json.ts';
import { TextExcerpt } from '../text/text-excerpt.tsx';
import { WholeOutput } from './whole-output.tsx';

export function ToolOutput({ item }: { item: ToolItem }) {
  const text = useMemo(() => toOutputText(item.output), [item.output]);
  if (item.state === 'unknown') return <Unknown text={text} />;
  if (typeof item.output === 'object' && item.output !== null) return <InputView value={item.output} />;
  const failed = item.state === 'failed' && { className: 'border-bad/30' };
  const excerpt = <TextExcerpt text={text} label="Output" {...failed} />;
  if (!item.truncated) return excerpt;
  return (
    <div className="flex flex-col gap-2">
      {item.outputId ? (
        <WholeOutput outputId={item.outputId} excerpt={excerpt} />
      ) : (
        <>
          {excerpt}
          <p className="text-xs text-faint">This is all that is kept of a longer output.</p>
        </>
      )}
    </div>
  );
}

/** A text as it is; anything else as JSON. */
export function toOutputText(output: unknown): string {
  return typeof output === 'string' ? output : toPrettyJson(output);
}

function Unknown({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-2 text-13">
      <p>
        <span className="font-medium text-warn">Nobody knows whether this ran to its end.</span> The server or
        its program stopped while it was under way. It is never run again by itself: look at what it changes,
        then tell the agent what you found, or ask it to look.
      </p>
      {text && <TextExcerpt text={text} label="What is known" />}
    </div>
  );
}
