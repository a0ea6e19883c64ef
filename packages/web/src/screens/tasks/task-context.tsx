// The hand-over of a task, as the next agent gets it. Its quotations are agents' words: shown, not believed.

import { CopyButton } from '../../controls/copy-button.tsx';
import { SkeletonLines } from '../../controls/spinner.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useTaskContext } from '../../server/agents.ts';
import { Markdown } from '../../text/markdown.tsx';

/** As the server counts them. */
const charactersPerToken = 4;

export function TaskContextView({ slug }: { slug: string }) {
  const { data, error, refetch } = useTaskContext(slug);
  if (error)
    return <ErrorNote error={error} title="The context could not be read" onRetry={() => void refetch()} />;
  if (!data) return <SkeletonLines count={8} label="Reading the context" />;
  const tokens = Math.ceil(data.context.length / charactersPerToken);
  return (
    <section aria-label="Context" className="overflow-hidden rounded-xl border bg-raised">
      <header className="flex items-center gap-3 border-b px-4 py-1.5">
        <p className="min-w-0 flex-1 text-13 text-soft">
          What the next agent is told, about {tokens.toLocaleString('en-US')} tokens
        </p>
        <CopyButton text={data.context} label="Copy the context" />
      </header>
      <div className="p-4">
        <Markdown text={data.context} />
      </div>
    </section>
  );
}
