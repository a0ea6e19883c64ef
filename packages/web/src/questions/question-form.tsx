// The ways to answer a question: one of its options, several of them, or words.
import type { Answer, Question, QuestionOption } from '@toolyard/sdk';
import { toVisibleLine } from '@toolyard/sdk';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { TextArea } from '../controls/field.tsx';
import { useAnswerDraft } from '../decision-cards/answer-drafts.ts';

export interface QuestionFormProps {
  question: Question;
  isBusy: boolean;
  onAnswer(answer: Answer): void;
}

export function QuestionForm({ question, isBusy, onAnswer }: QuestionFormProps) {
  const { options, multiple = false, ownWords = false } = question;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [words, setWords] = useAnswerDraft(question);
  const answer = toAnswer(chosen, words.trim(), multiple);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (answer) onAnswer(answer);
  };
  const choose = (label: string) => {
    setChosen((before) => toChosen(before, label, multiple));
    if (!multiple) setWords('');
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {options && <Options options={options} isMultiple={multiple} chosen={chosen} onChoose={choose} />}
      {(!options || ownWords) && (
        <TextArea
          label={options ? 'Or in your own words' : 'Your answer'}
          rows={options ? 2 : 3}
          maxLength={20_000}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            if (event.target.value) setChosen([]);
          }}
        />
      )}
      <div>
        <Button type="submit" variant="primary" disabled={!answer} busy={isBusy}>
          Answer
        </Button>
      </div>
    </form>
  );
}

function toChosen(before: readonly string[], label: string, isMultiple: boolean): string[] {
  if (!isMultiple) return [label];
  return before.includes(label) ? before.filter((each) => each !== label) : [...before, label];
}

function toAnswer(chosen: readonly string[], words: string, isMultiple: boolean): Answer | undefined {
  if (words) return words;
  const [first] = chosen;
  if (first === undefined) return undefined;
  return isMultiple ? [...chosen] : first;
}

interface OptionsProps {
  options: readonly QuestionOption[];
  isMultiple: boolean;
  chosen: readonly string[];
  onChoose(label: string): void;
}

function Options({ options, isMultiple, chosen, onChoose }: OptionsProps) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="sr-only">{isMultiple ? 'Choose any' : 'Choose one'}</legend>
      {options.map(({ label, description, leavesPlanFor }) => (
        <label
          key={label}
          className="flex cursor-pointer items-start gap-2.5 rounded-lg border px-3 py-2 hover:bg-hover has-checked:border-accent has-checked:bg-accent-wash"
        >
          <input
            type={isMultiple ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(label)}
            onChange={() => onChoose(label)}
            className="mt-1 accent-accent"
          />
          <span className="min-w-0 text-sm wrap-anywhere">
            <span className="font-medium">{toVisibleLine(label)}</span>
            {description && <span className="block text-13 text-soft">{toVisibleLine(description)}</span>}
            {leavesPlanFor && (
              <span className="block text-13 text-warn">
                Leaves plan mode: the session goes on in mode {leavesPlanFor}.
              </span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
