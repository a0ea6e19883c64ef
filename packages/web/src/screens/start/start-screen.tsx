// Where a person begins: a new conversation, with something to try for those who are new.
import { ArrowUpRight } from 'lucide-react';
import { useState } from 'react';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useIsUnkept } from '../../server/at-risk.ts';
import { toModeLabel } from '../../server/modes.ts';
import { noChoices, toCreate } from '../../shell/choices.ts';
import { toDraftName, useDraft } from '../conversation/draft.ts';
import { RehearsalNote } from './rehearsal-note.tsx';
import { StartComposer } from './start-composer.tsx';
import { type Suggestion, suggestions } from './suggestions.ts';
import { startDraft, useStart } from './use-start.ts';

export function StartScreen() {
  const [text, setText] = useDraft(startDraft);
  const [choices, setChoices] = useState(noChoices);
  const isUnkept = useIsUnkept(toDraftName(startDraft));
  const start = useStart(setText);
  const send = () => {
    if (text.trim() && !start.isPending)
      start.mutate({ prompt: text, session: toCreate(choices), isTyped: true });
  };
  const tryOut = ({ prompt, mode }: Suggestion) =>
    start.mutate({ prompt, session: { ...toCreate(choices), mode }, isTyped: false });
  return (
    <main className="mx-auto flex min-h-full w-full max-w-2xl flex-col justify-center gap-5 px-4 py-8 sm:px-6">
      <RehearsalNote />
      <h1 className="text-2xl font-semibold tracking-tight">What shall we work on?</h1>
      <StartComposer
        text={text}
        onText={setText}
        choices={choices}
        onChoices={setChoices}
        busy={start.isPending}
        onSend={send}
      />
      {isUnkept && (
        <p role="status" className="text-xs text-warn">
          Your browser has no room to keep these words: send before you reload or close this page.
        </p>
      )}
      {start.error && (
        <ErrorNote
          error={start.error}
          title="The message was not sent. It is still here."
          onRetry={() => start.variables && start.mutate(start.variables)}
        />
      )}
      <Suggestions disabled={start.isPending} onTry={tryOut} />
    </main>
  );
}

function Suggestions({ disabled, onTry }: Omit<SuggestionCardProps, 'suggestion'>) {
  return (
    <section aria-labelledby="suggestions">
      <h2 id="suggestions" className="mb-2 text-[13px] font-medium text-faint">
        Or try
      </h2>
      <ul className="grid gap-2.5 sm:grid-cols-3">
        {suggestions.map((suggestion) => (
          <li key={suggestion.name}>
            <SuggestionCard suggestion={suggestion} disabled={disabled} onTry={onTry} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SuggestionCardProps {
  suggestion: Suggestion;
  disabled: boolean;
  onTry(suggestion: Suggestion): void;
}

function SuggestionCard({ suggestion, disabled, onTry }: SuggestionCardProps) {
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={() => onTry(suggestion)}
      className="group flex h-full w-full cursor-pointer flex-col gap-1 rounded-xl border bg-raised p-3.5 text-left hover:border-accent hover:bg-hover disabled:cursor-default disabled:opacity-60"
    >
      <span className="flex items-center gap-1 text-sm font-medium">
        {suggestion.name}
        <ArrowUpRight className="ml-auto size-3.5 text-faint group-hover:text-accent" aria-hidden="true" />
      </span>
      <span className="text-[13px] text-soft">“{suggestion.prompt}”</span>
      <span className="mt-auto pt-1 text-xs text-faint">
        {suggestion.shows}
        <span className="sr-only"> Mode: {toModeLabel(suggestion.mode)}.</span>
      </span>
    </button>
  );
}
