// Where a person writes. Nothing typed is lost: it is kept per session until it is sent, and sent until it is taken.
import type { Content, Session, SessionView } from '@toolyard/sdk';
import { ArrowUp, CircleStop, ListPlus } from 'lucide-react';
import {
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import { useSocketState } from '../connection/connection-state.ts';
import { Button } from '../controls/button.tsx';
import { toContent, useAttachments } from '../outbox/attachments.ts';
import { toDraftName, useDraft } from '../outbox/draft.ts';
import { useDroppedFiles } from '../outbox/dropped-files.ts';
import { sendMessage } from '../outbox/outbox.ts';
import { toWords } from '../outbox/unsent.ts';
import { useIsUnsaved } from '../storage/unsaved-changes.ts';
import { AttachmentList } from './attachment-list.tsx';
import { ComposerNote } from './composer-note.tsx';
import { useHistory } from './history.ts';
import { isSendKey, isTouch } from './keys.ts';
import { PickFiles } from './pick-files.tsx';
import { useStop } from './stop.ts';

export interface ComposerHandle {
  edit(content: Content): void;
}

export interface ComposerProps {
  sessionId: string;
  session: Session | undefined;
  view: SessionView;
  ref: Ref<ComposerHandle>;
}

export function Composer({ sessionId, session, view, ref }: ComposerProps) {
  const [text, setText] = useDraft(sessionId);
  const field = useRef<HTMLTextAreaElement>(null);
  const attachments = useAttachments(sessionId);
  const line = useSocketState();
  const isUnkept = useIsUnsaved(toDraftName(sessionId));
  const isBusy = view.turnId !== undefined;
  const refusal = findRefusal(session);
  const { stop, isStopping } = useStop(sessionId, isBusy);
  const history = useHistory(view.items, text, setText);
  useAutoResize(field, text);
  useFocusAtFirst(field);
  useImperativeHandle(ref, () => ({
    edit(content) {
      const given = toWords(content);
      setText(text.trim() ? `${text}\n\n${given}` : given);
      attachments.restore(content);
      field.current?.focus();
    },
  }));

  const canSend = !refusal && !attachments.isReading && (text.trim() !== '' || attachments.items.length > 0);
  function send(): void {
    if (!canSend) return;
    sendMessage(sessionId, toContent(text.trim(), attachments.items));
    setText('');
    history.reset();
    attachments.clear();
    // Where a button was pressed, it can now no more: the focus would be nowhere.
    if (!isTouch) field.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (isSendKey(event)) {
      event.preventDefault();
      send();
    } else history.onKeyDown(event);
  }
  const { onPaste } = useDroppedFiles(field, (files) => {
    if (!refusal) attachments.add(files);
  });

  return (
    <footer className="px-3 pb-3 sm:px-6">
      <section
        aria-label="Message"
        className="mx-auto max-w-3xl rounded-2xl border bg-raised shadow-sm focus-within:border-accent"
      >
        <AttachmentList attachments={attachments} />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          data-draft=""
          value={text}
          aria-label="Your message"
          placeholder={
            refusal ?? (isBusy ? 'Write on: it is queued until this turn ends' : 'Say what you want done')
          }
          disabled={refusal !== undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="block max-h-[40dvh] w-full resize-none bg-transparent px-4 pt-3 pb-1 text-15 outline-none placeholder:text-faint disabled:cursor-not-allowed"
        />
        <div className="flex items-center gap-1.5 px-2 pb-2">
          <PickFiles isDisabled={refusal !== undefined} onPick={attachments.add} />
          <ComposerNote isBusy={isBusy} line={line} isUnkept={isUnkept} queued={view.queued.length} />
          {isBusy && (
            <Button
              size="small"
              icon={<CircleStop className="size-4" />}
              busy={isStopping}
              onClick={stop}
              title="Stop this turn (Esc)"
            >
              Stop
            </Button>
          )}
          <Button
            size="small"
            variant="primary"
            disabled={!canSend}
            icon={isBusy ? <ListPlus className="size-4" /> : <ArrowUp className="size-4" />}
            onClick={send}
          >
            {isBusy ? 'Queue' : 'Send'}
          </Button>
        </div>
      </section>
    </footer>
  );
}

/** Whoever comes here with the focus nowhere, from the start for one, goes on writing. */
function useFocusAtFirst(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (isTouch || document.activeElement !== document.body) return;
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [field]);
}

/** Why nothing can be said here. */
function findRefusal(session: Session | undefined): string | undefined {
  if (session?.engine === 'direct')
    return 'This session was made for a tool call: nobody is there to talk to.';
  if (session?.status === 'closed') return 'This session is closed.';
  return undefined;
}

/** A field that is as high as its text. */
function useAutoResize(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is measured again when the text changes
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}
