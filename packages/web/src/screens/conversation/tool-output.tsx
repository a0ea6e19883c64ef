// What a call answered. One that was cut for the model can be read whole; one whose outcome nobody knows says what to do.
import type { ToolItem } from '@toolyard/sdk';
import { useMemo, useState } from 'react';
import { toPrettyJson } from '../../asking/flat-json.ts';
import { InputView } from '../../asking/input-view.tsx';
import { PlainText } from '../../asking/plain-text.tsx';
import { TextExcerpt } from '../../asking/text-excerpt.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useKeptOutput } from './kept-output.ts';
import { useOpenSession } from './session-context.ts';

export function ToolOutput({ item }: { item: ToolItem }) {
  const text = useMemo(() => toOutputText(item.output), [item.output]);
  if (item.state === 'unknown') return <Unknown text={text} />;
  if (typeof item.output === 'object' && item.output !== null) return <InputView value={item.output} />;
  return (
    <div className="flex flex-col gap-2">
      <TextExcerpt
        text={text}
        label="Output"
        {...(item.state === 'failed' && { className: 'border-bad/30' })}
      />
      {item.truncated && <Whole item={item} />}
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

function Whole({ item: { outputId } }: { item: ToolItem }) {
  const { sessionId } = useOpenSession();
  const [isAsked, setIsAsked] = useState(false);
  const kept = useKeptOutput(isAsked ? outputId : undefined, sessionId);
  if (!outputId) return <p className="text-xs text-faint">This is all that is kept of a longer output.</p>;
  if (!isAsked) {
    return (
      <div className="flex items-center gap-3 text-xs text-warn">
        The model was shown only the two ends.
        <Button size="small" onClick={() => setIsAsked(true)}>
          Show all
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      {kept.text && <PlainText text={kept.text} label="The whole output" />}
      {kept.error !== undefined && <ErrorNote error={kept.error} onRetry={kept.readMore} />}
      <div className="flex flex-wrap items-center gap-3 text-xs text-faint">
        <span className="tabular-nums">
          {kept.readBytes.toLocaleString('en-US')} of {kept.totalBytes.toLocaleString('en-US')} bytes
        </span>
        {kept.hasMore && (
          <Button size="small" busy={kept.isReading} onClick={kept.readMore}>
            Read more
          </Button>
        )}
        {kept.text && <CopyButton text={kept.text} label="Copy what is read" />}
      </div>
    </div>
  );
}
