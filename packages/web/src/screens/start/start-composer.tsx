// The big field of the start: words, what the session is to be like, and off it goes.
import { ArrowUp, ChevronDown } from 'lucide-react';
import { Collapsible } from 'radix-ui';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { AttachmentList } from '../../composer/attachment-list.tsx';
import { isSendKey } from '../../composer/keys.ts';
import { PickFiles } from '../../composer/pick-files.tsx';
import { Button, IconButton } from '../../controls/button.tsx';
import { Select } from '../../controls/select.tsx';
import { startFieldId } from '../../navigation/use-go-to-start.ts';
import { ChoiceFields } from '../../new-session/choice-fields.tsx';
import { asServer, type Choices, noChoices, useRoles } from '../../new-session/choices.ts';
import { ModeSelect } from '../../new-session/mode-select.tsx';
import type { Attachments } from '../../outbox/attachments.ts';
import { useDroppedFiles } from '../../outbox/dropped-files.ts';
import { modes } from '../../queries/modes.ts';

export interface StartComposerProps {
  text: string;
  onText(text: string): void;
  attachments: Attachments;
  choices: Choices;
  onChoices(choices: Choices): void;
  busy: boolean;
  canSend: boolean;
  onSend(): void;
}

export function StartComposer(props: StartComposerProps) {
  const { text, onText, attachments, choices, onChoices, onSend } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const { onPaste } = useDroppedFiles(field, attachments.add);
  // On a phone it would bring up the keyboard before anybody asked for it.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    onSend();
  };
  return (
    <Collapsible.Root className="rounded-2xl border bg-raised shadow-sm focus-within:border-accent">
      <AttachmentList attachments={attachments} />
      <textarea
        ref={field}
        id={startFieldId}
        dir="auto"
        data-draft=""
        aria-label="Message"
        placeholder="What should the agent do?"
        rows={3}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block field-sizing-content max-h-[40dvh] min-h-24 w-full resize-none bg-transparent px-4 pt-3.5 pb-1 outline-none placeholder:text-faint"
      />
      <Bar {...props} />
      <MoreChoices choices={choices} onChoices={onChoices} />
    </Collapsible.Root>
  );
}

function Bar({ attachments, choices, onChoices, busy, canSend, onSend }: StartComposerProps) {
  return (
    <div className="flex items-end gap-1.5 px-2.5 pb-2.5">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">
        <PickFiles onPick={attachments.add} />
        <QuickChoices choices={choices} onChoices={onChoices} />
        <Collapsible.Trigger asChild>
          <Button size="small" variant="ghost" className="group">
            More
            <ChevronDown className="size-3.5 group-data-[state=open]:rotate-180" aria-hidden="true" />
          </Button>
        </Collapsible.Trigger>
      </div>
      <IconButton
        label="Send"
        shortcut="enter"
        variant="primary"
        busy={busy}
        disabled={!canSend}
        onClick={onSend}
      >
        <ArrowUp className="size-4.5" />
      </IconButton>
    </div>
  );
}

function MoreChoices({ choices, onChoices }: Pick<StartComposerProps, 'choices' | 'onChoices'>) {
  return (
    <Collapsible.Content className="border-t px-4 py-4">
      <ChoiceFields choices={choices} onChange={onChoices} isRest />
      {choices !== noChoices && (
        <Button size="small" variant="ghost" className="mt-3 -ml-2" onClick={() => onChoices(noChoices)}>
          Back to the defaults
        </Button>
      )}
    </Collapsible.Content>
  );
}

const modeOptions = [
  { value: 'default-of-role', label: 'Role’s mode' } as const,
  ...modes.map((mode) => ({ ...mode, label: `Mode: ${mode.label.toLowerCase()}` })),
];

function QuickChoices({ choices, onChoices }: Pick<StartComposerProps, 'choices' | 'onChoices'>) {
  const { data } = useRoles(choices.cwd);
  const roles = [
    { value: asServer, label: 'Default role' },
    ...(data?.items ?? []).map(({ name, description }) => ({ value: name, label: name, note: description })),
  ];
  return (
    <>
      <Select
        label="Role"
        size="small"
        value={choices.role}
        options={roles}
        onChange={(role) => onChoices({ ...choices, role })}
      />
      <ModeSelect
        label="Mode"
        size="small"
        value={choices.mode}
        options={modeOptions}
        onChange={(mode) => onChoices({ ...choices, mode })}
      />
    </>
  );
}
