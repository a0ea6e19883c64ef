// A piece of what was said, with what was looked for marked.
import { type SearchHit, toReadable } from '@toolyard/sdk';

export function Snippet({ hit }: { hit: SearchHit }) {
  return hit.snippet.map((part, index) =>
    part.hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
      <mark key={index} className="rounded-xs bg-warn-wash text-warn">
        {toReadable(part.text)}
      </mark>
    ) : (
      toReadable(part.text)
    ),
  );
}
