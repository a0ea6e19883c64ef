// The words of a message; a long one is folded.
import { toReadable } from '@toolyard/sdk';
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { toEnds } from '../text/ends.ts';
import { PlainText } from '../text/plain-text.tsx';

export function Words({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const { head, between } = toEnds(text);
  if (isWhole) return <PlainText text={text} />;
  return (
    <>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {toReadable(between > 0 ? head : text)}
      </p>
      {between > 0 && (
        <Button variant="ghost" size="small" className="-ml-2" onClick={() => setIsWhole(true)}>
          Show all {text.length.toLocaleString('en-US')} characters
        </Button>
      )}
    </>
  );
}
