// AskUserQuestion and the exit from plan mode: the CLI asks for permission, and gets a person's answer.
import type { PermissionResult } from '@anthropic-ai/claude-agent-sdk';
import type { Asked, EngineHost, QuestionOption, Replied } from '@toolyard/sdk';
import { z } from 'zod';
import { nativeTools } from '../tools/native-tools.ts';

const AskInput = z.object({
  questions: z
    .array(
      z.object({
        question: z.string(),
        multiSelect: z.boolean().optional(),
        options: z.array(z.object({ label: z.string(), description: z.string().optional() })).default([]),
      }),
    )
    .min(1)
    .max(20),
});
type AskedOf = z.infer<typeof AskInput>['questions'][number];

const PlanInput = z.object({ plan: z.string() });

const maxTextLength = 4_000;
const maxBodyLength = 200_000;
const maxLabelLength = 200;
const maxOptions = 20;
const keepPlanning = 'Keep planning';
const planOptions: QuestionOption[] = [
  { label: 'Approve, and ask before changes', leavesPlanFor: 'default' },
  { label: 'Approve, and accept edits', leavesPlanFor: 'acceptEdits' },
  { label: keepPlanning },
];

const names = new Set(nativeTools.filter((tool) => tool.isQuestion).map(({ name }) => name));

/** Takes the CLI's name of the tool. */
export function isQuestion(tool: string): boolean {
  return names.has(`claude:${tool}`);
}

export interface AskingCall {
  id: string;
  /** The CLI's name of it. */
  tool: string;
  /** As the CLI has completed it. */
  input: Record<string, unknown>;
  /** As the model has sent it. */
  sent: unknown;
}

/** What the CLI may do with the call, once its person has answered. */
export function askPerson(call: AskingCall, host: EngineHost): Promise<PermissionResult> {
  return call.tool === 'ExitPlanMode' ? askAboutPlan(call, host) : askQuestions(call, host);
}

/** All at once, so that all are there after a restart. */
async function askQuestions({ id, input }: AskingCall, host: EngineHost): Promise<PermissionResult> {
  const parsed = AskInput.safeParse(input);
  if (!parsed.success) return deny('The question could not be read. Ask it in your answer instead.');
  const { questions } = parsed.data;
  const replies = await Promise.all(questions.map((each) => host.ask({ ...toAsked(each), toolCallId: id })));
  const words = replies.map((reply, at) => toWords(reply, questions[at]));
  if (replies.some(({ state }) => state !== 'answered'))
    return deny(formatWhatCame(questions, replies, words));
  const answers = Object.fromEntries(questions.map(({ question }, at) => [question, words[at] ?? '']));
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}

async function askAboutPlan({ id, input, sent }: AskingCall, host: EngineHost): Promise<PermissionResult> {
  // The CLI reads the plan from its file. An agent that cannot write one may send it along.
  const { plan } =
    [input, sent].map((each) => PlanInput.safeParse(each).data).find((each) => each?.plan) ?? {};
  if (!plan?.trim()) {
    return deny(
      'There is no plan to show. Write it into the plan file, or send it as `plan`; then call this again.',
    );
  }
  const text = 'The agent proposes a plan. Approve it?';
  const body = toBounded(plan, maxBodyLength);
  const replied = await host.ask({ text, body, options: planOptions, ownWords: true, toolCallId: id });
  if (replied.state !== 'answered') return deny(formatWhyNot(replied));
  const words = [replied.answer].flat().join(', ');
  const chosen = planOptions.find(({ label }) => label === words);
  if (chosen?.leavesPlanFor) return { behavior: 'allow', updatedInput: input };
  return deny(`The person wants you to keep planning${chosen ? '.' : `: ${words}`}`);
}

function toAsked(asked: AskedOf): Asked {
  const { question, options, multiSelect } = asked;
  const shown = options.slice(0, maxOptions).map(({ description }, at) => ({
    label: toLabels(asked)[at] ?? '…',
    ...(description && { description: toBounded(description, 2_000) }),
  }));
  return {
    text: toBounded(question, maxTextLength) || '…',
    ...(question.length > maxTextLength && { body: toBounded(question, maxBodyLength) }),
    ...(shown.length > 0 && { options: shown }),
    ...(multiSelect && { multiple: true }),
    // The model is told that a person always can.
    ownWords: true,
  };
}

/** What a person sees of the labels; no two are the same. */
function toLabels({ options }: AskedOf): string[] {
  return options.map(({ label }, at) => {
    const short = toBounded(label, maxLabelLength) || '…';
    const isTaken = options.findIndex((other) => toBounded(other.label, maxLabelLength) === short) < at;
    return isTaken ? `${toBounded(label, maxLabelLength - 5)} (${at + 1})` : short;
  });
}

/** The answer with the labels that the model knows. */
function toWords(reply: Replied, asked: AskedOf | undefined): string {
  if (reply.state !== 'answered' || !asked) return '';
  const labels = toLabels(asked);
  return [reply.answer]
    .flat()
    .map((word) => asked.options[labels.indexOf(word)]?.label ?? word)
    .join(', ');
}

/** Some answers came, others did not: nothing of it is lost to the model. */
function formatWhatCame(questions: readonly AskedOf[], replies: readonly Replied[], words: string[]): string {
  return replies
    .map((reply, at) =>
      reply.state === 'answered'
        ? `"${questions[at]?.question}" was answered: ${words[at]}.`
        : `"${questions[at]?.question}": ${formatWhyNot(reply)}`,
    )
    .join('\n');
}

function formatWhyNot({ state }: Replied): string {
  return state === 'expired'
    ? 'No one answered in time. Continue without the answer, or stop and say what you need.'
    : 'The question was cancelled.';
}

function toBounded(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message };
}
