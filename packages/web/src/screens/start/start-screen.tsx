// Where a person begins: a new conversation, with something to try for those who are new.
import { isBrokenLine, type PermissionMode } from '@toolyard/sdk';
import { ArrowUpRight, Drama } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSocketState } from '../../connection/connection-state.ts';
import { useHealth } from '../../connection/health.ts';
import { Button } from '../../controls/button.tsx';
import { type Choices, noChoices, toCreate } from '../../new-session/choices.ts';
import { useAttachments } from '../../outbox/attachments.ts';
import { toDraftName, useDraft } from '../../outbox/draft.ts';
import { AwayNote } from '../../parts/away-note.tsx';
import { Code, InlineCode } from '../../parts/code.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { toModeLabel } from '../../queries/modes.ts';
import { useIsUnsaved } from '../../storage/unsaved-changes.ts';
import { StartComposer } from './start-composer.tsx';
import { startDraft, useStart } from './use-start.ts';

export function StartScreen() {
  const { text, setText, attachments, choices, setChoices, start, canSend, send, tryOut } = useBeginning();
  const isUnkept = useIsUnsaved(toDraftName(startDraft));
  return (
    <main className="mx-auto flex min-h-full w-full max-w-2xl flex-col justify-center gap-5 px-4 py-8 sm:px-6">
      <RehearsalNote />
      <h1 className="text-2xl font-semibold tracking-tight">What shall we work on?</h1>
      <StartComposer
        text={text}
        attachments={attachments}
        choices={choices}
        canSend={canSend}
        onText={setText}
        onChoices={setChoices}
        busy={start.isPending}
        onSend={send}
      />
      {isUnkept && (
        <p role="status" className="text-xs text-warn">
          Your browser has no room to keep these words: send before you reload or close this page.
        </p>
      )}
      <NotSent start={start} />
      <Suggestions disabled={start.isPending} onTry={tryOut} />
    </main>
  );
}

type Start = ReturnType<typeof useStart>;

/** What is to be said, what the session is to be like, and how it begins. */
function useBeginning() {
  const [text, setText] = useDraft(startDraft);
  const [choices, setChoices] = useState(noChoices);
  const attachments = useAttachments(startDraft);
  const start = useStart(() => {
    setText('');
    attachments.clear();
  });
  useAgainWhenBack(start);
  const { items, isReading } = attachments;
  const canSend = !isReading && (text.trim() !== '' || items.length > 0);
  const typed = { prompt: text.trim() ? text : '', attached: items, isTyped: true };
  // What waits for the server is what was sent: whoever writes on sends anew.
  const rewrite = () => {
    if (start.error) start.reset();
  };
  return {
    text,
    choices,
    start,
    canSend,
    attachments: {
      ...attachments,
      add(files: File[]) {
        rewrite();
        attachments.add(files);
      },
      remove(id: number) {
        rewrite();
        attachments.remove(id);
      },
    },
    setText(next: string) {
      rewrite();
      setText(next);
    },
    setChoices(next: Choices) {
      rewrite();
      setChoices(next);
    },
    send() {
      if (canSend && !start.isPending) start.mutate({ ...typed, session: toCreate(choices) });
    },
    tryOut: ({ prompt, mode }: Suggestion) =>
      start.mutate({ prompt, attached: [], session: { ...toCreate(choices), mode }, isTyped: false }),
  };
}

/** What no server was there to take goes out when the line is there again. */
function useAgainWhenBack({ error, variables, mutate }: Start): void {
  const line = useSocketState();
  const wasAway = useRef(false);
  useEffect(() => {
    const isBack = line === 'open' && wasAway.current;
    wasAway.current = line !== 'open';
    if (isBack && error && isBrokenLine(error) && variables) mutate(variables);
  }, [line, error, variables, mutate]);
}

function NotSent({ start: { error, variables, mutate, reset } }: { start: Start }) {
  const line = useSocketState();
  if (!error) return null;
  if (line !== 'open' && isBrokenLine(error)) {
    return (
      <AwayNote
        action={
          <Button size="small" onClick={reset}>
            Take it back
          </Button>
        }
      >
        The server is away: your message is not sent yet. It goes out when the server is back.
      </AwayNote>
    );
  }
  return (
    <ErrorNote
      error={error}
      title="The message was not sent. It is still here."
      onRetry={() => variables && mutate(variables)}
    />
  );
}

function Suggestions({ disabled, onTry }: Omit<SuggestionCardProps, 'suggestion'>) {
  return (
    <section aria-labelledby="suggestions">
      <h2 id="suggestions" className="mb-2 text-13 font-medium text-faint">
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
      <span className="text-13 text-soft">“{suggestion.prompt}”</span>
      <span className="mt-auto pt-1 text-xs text-faint">
        {suggestion.shows}
        <span className="sr-only"> Mode: {toModeLabel(suggestion.mode)}.</span>
      </span>
    </button>
  );
}

/** Says plainly that no model answers yet, and how to connect one. */
function RehearsalNote() {
  const { data: health } = useHealth();
  if (!health?.rehearsing) return null;
  const start = health.version === 'development' ? 'npm start' : 'toolyard';
  return (
    <section
      aria-label="Rehearsal"
      className="rounded-xl border border-warn/30 bg-warn-wash px-4 py-3 text-sm"
    >
      <p className="flex items-center gap-2 font-medium text-warn">
        <Drama className="size-4 shrink-0" aria-hidden="true" />
        This is a rehearsal: a built-in script answers, not a model.
      </p>
      <p className="mt-1 text-soft">
        Everything else is real: tools, approvals, the log, this page. It is free, and nothing leaves this
        machine.
      </p>
      <details className="mt-1.5">
        <summary className="w-fit cursor-pointer rounded font-medium text-ink">Connect a model</summary>
        <div className="mt-2 flex flex-col gap-2 text-soft">
          <p>
            Stop the server, then start it with a key, or log in with <InlineCode text="claude" /> first:
          </p>
          <Code text={`ANTHROPIC_API_KEY=… ${start}`} copy label="Command" />
          <p>
            Other providers work the same way, with their own keys. A server that was started with{' '}
            <InlineCode text="--rehearse" /> rehearses until it is started without it.
          </p>
        </div>
      </details>
    </section>
  );
}

interface Suggestion {
  /** What it shows. */
  name: string;
  shows: string;
  prompt: string;
  mode: PermissionMode;
}

/** What to try first. The rehearsal knows these lines; a real model will do, too. */
const suggestions: readonly Suggestion[] = [
  {
    name: 'Watch tools run',
    shows: 'Two tools at once. Reading needs no approval in the mode “Accept edits”.',
    prompt: 'Ping the server and count the sessions here.',
    mode: 'acceptEdits',
  },
  {
    name: 'Approve a call',
    shows: 'The agent wants to call a tool, and waits for your yes.',
    prompt: 'Which version of Toolyard is this, and how long has it been running?',
    mode: 'default',
  },
  {
    name: 'Read a long answer',
    shows: 'Words as they come: scroll away, stop it, or let it finish.',
    prompt: 'Tell me a long story about a railway yard.',
    mode: 'default',
  },
];
