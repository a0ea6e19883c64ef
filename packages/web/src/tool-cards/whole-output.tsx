// An output that was cut for the model, as far as somebody reads it: from its beginning, its end, or all of it as a file.
import { Download } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { useOpenSession } from '../transcript-rows/session-context.ts';
import { saveOutput, useKeptOutput } from './kept-output.ts';

export interface WholeOutputProps {
  outputId: string;
  /** Its two ends, until more is asked for. */
  excerpt: ReactNode;
}

export function WholeOutput({ outputId, excerpt }: WholeOutputProps) {
  const { sessionId } = useOpenSession();
  const [isAsked, setIsAsked] = useState(false);
  const kept = useKeptOutput(isAsked ? outputId : undefined, sessionId);
  const text = kept.end ?? kept.text;
  return (
    <>
      {text === '' && excerpt}
      {kept.end === undefined && kept.text && <PlainText text={kept.text} label="The whole output" />}
      {kept.end !== undefined && <End text={kept.end} />}
      {kept.error !== undefined && (
        <ErrorNote error={kept.error} onRetry={kept.readBytes === 0 ? kept.readMore : undefined} />
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs text-faint">
        {isAsked ? (
          <Reading kept={kept} />
        ) : (
          <>
            <span className="text-warn">The model was shown only the two ends.</span>
            <Button size="small" onClick={() => setIsAsked(true)}>
              Show all
            </Button>
          </>
        )}
        <SaveButton outputId={outputId} sessionId={sessionId} />
        {text && <CopyButton text={text} label="Copy what is shown" />}
      </div>
    </>
  );
}

function Reading({ kept }: { kept: ReturnType<typeof useKeptOutput> }) {
  const { end, hasMore, isReading, readBytes, totalBytes } = kept;
  const formatBytes = (bytes: number) => bytes.toLocaleString('en-US');
  if (end !== undefined) {
    return (
      <>
        <span>The end of {formatBytes(totalBytes)} bytes</span>
        <Button size="small" onClick={kept.leaveEnd}>
          Show the beginning
        </Button>
      </>
    );
  }
  return (
    <>
      <span className="tabular-nums">
        {formatBytes(readBytes)} of {formatBytes(totalBytes)} bytes
      </span>
      {hasMore && (
        <Button size="small" busy={isReading} onClick={kept.readMore}>
          Read more
        </Button>
      )}
      {hasMore && readBytes > 0 && (
        <Button size="small" disabled={isReading} onClick={kept.readEnd}>
          Show the end
        </Button>
      )}
    </>
  );
}

/** What somebody wants to see is its last line. */
function End({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = place.current?.firstElementChild;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);
  return (
    <div ref={place}>
      <PlainText text={text} label="The end of the output" />
    </div>
  );
}

function SaveButton({ outputId, sessionId }: { outputId: string; sessionId: string }) {
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setIsSaving(true);
    setError(undefined);
    await saveOutput(outputId, sessionId).catch(setError);
    setIsSaving(false);
  };
  return (
    <>
      <Button
        size="small"
        icon={<Download className="size-3.5" />}
        busy={isSaving}
        onClick={() => void save()}
      >
        Download
      </Button>
      {error !== undefined && <ErrorNote error={error} title="It could not be downloaded" />}
    </>
  );
}
