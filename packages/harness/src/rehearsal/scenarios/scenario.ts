// The scenario file: ordered rules, each saying when it applies and what the scripted model answers. The first
// rule that fits wins. docs/rehearsal.md explains every key.
import { z } from 'zod';
import { captureNames } from './phrase.ts';
import { checkTemplate } from './template.ts';

/** Longest text one block may grow to by `repeat`. */
export const maxTextLength = 4_194_304;

const oneOrMore = <T extends z.ZodType>(item: T, what: string) =>
  z.union([item, z.array(item).min(1).max(100)], `expected ${what}, or a list of them`);
const Names = z.array(z.string().min(1)).min(1).max(100);

const ResultCondition = z.strictObject({
  tool: z.string().optional().describe('Full name of the tool that was called'),
  isError: z.boolean().optional().describe('Whether the call failed'),
  contains: z.string().min(1).optional().describe('Characters in the result, in any case'),
});
export type ResultCondition = z.infer<typeof ResultCondition>;

const Step = z.union(
  [z.int().min(0), z.strictObject({ min: z.int().min(0).optional(), max: z.int().min(0).optional() })],
  'expected a number of tool rounds, or { min, max }',
);

const When = z.strictObject({
  user: oneOrMore(z.string().min(1), 'a phrase').optional().describe("A phrase in the person's last words"),
  userIs: oneOrMore(z.string(), 'a text').optional().describe("The person's last words, all of them"),
  images: z.boolean().optional().describe("Whether images came with the person's last words"),
  files: z.boolean().optional().describe("Whether files came with the person's last words"),
  tools: Names.optional().describe('Tools that must all be offered'),
  toolsAbsent: Names.optional().describe('Tools none of which may be offered'),
  results: oneOrMore(ResultCondition, 'a condition').optional().describe('Each must fit a result just in'),
  step: Step.optional().describe('Tool rounds since the person last spoke'),
});
export type When = z.infer<typeof When>;

const Pace = z.strictObject({
  chunkChars: z.int().min(1).max(1_000_000).optional().describe('Characters in one streamed piece'),
  delayMs: z.int().min(0).max(60_000).optional().describe('Wait before each piece'),
  initialDelayMs: z.int().min(0).max(600_000).optional().describe('Wait before the answer begins'),
});
export type Pace = z.infer<typeof Pace>;

const ReplyBlock = z
  .strictObject({
    text: z.string().min(1).optional().describe('Words of the answer'),
    thinking: z.string().min(1).optional().describe('Words thought before the answer'),
    repeat: z.int().min(1).optional().describe('How many times the text is said'),
    call: z
      .strictObject({
        tool: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        input: z.record(z.string(), z.unknown()).default({}),
      })
      .optional()
      .describe('A tool to call; several in one reply are called at once'),
  })
  .superRefine((block, context) => {
    const kinds = [block.text, block.thinking, block.call].filter((kind) => kind !== undefined);
    if (kinds.length !== 1) context.addIssue('needs exactly one of text, thinking and call');
    if (block.repeat !== undefined && block.text === undefined) context.addIssue('repeat goes with text');
    if ((block.text?.length ?? 0) * (block.repeat ?? 1) > maxTextLength) {
      context.addIssue(`text times repeat is longer than ${maxTextLength} characters`);
    }
  });
export type ReplyBlock = z.infer<typeof ReplyBlock>;

const Times = z.int().min(1).max(1_000_000).optional().describe('Only so many times in one exchange');

const Fail = z.strictObject({
  status: z.int().min(400).max(599).describe('HTTP status'),
  message: z.string().optional().describe('What the error says'),
  retryAfter: z.number().min(0).max(86_400).optional().describe('Seconds in the retry-after header'),
  afterChars: z.int().min(0).optional().describe('Begin the answer and fail inside the stream'),
  times: Times,
});

const Cut = z.strictObject({
  afterChars: z.int().min(0).describe('Characters streamed before the connection is cut'),
  times: Times,
});

export const StopReason = z.enum([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

const Rule = z
  .strictObject({
    name: z.string().optional().describe('For people'),
    when: When.prefault({}).describe('All conditions must hold; none means always'),
    reply: z.array(ReplyBlock).min(1).max(1_000).optional().describe('What is answered, block by block'),
    stopReason: StopReason.optional().describe('Default: tool_use after a call, else end_turn'),
    pace: Pace.optional(),
    fail: Fail.optional().describe('Answer with an error'),
    cut: Cut.optional().describe('Cut the connection'),
    malformed: z.enum(['stream', 'toolInput']).optional().describe('Send broken JSON'),
    splitBytes: z.boolean().optional().describe('Send characters in halves'),
  })
  .superRefine((rule, context) => {
    if (!rule.reply && !rule.fail) context.addIssue('needs a reply, or fail');
    if (rule.fail && rule.cut) context.addIssue('cannot both fail and cut');
    const captures = toList(rule.when.user).flatMap(captureNames);
    for (const [index, { text, thinking, call }] of (rule.reply ?? []).entries()) {
      const wrong = checkTemplate([text, thinking, call?.input], captures);
      if (wrong) context.addIssue({ code: 'custom', message: wrong, path: ['reply', index] });
    }
  });
export type Rule = z.infer<typeof Rule>;

export const Scenario = z.strictObject({
  description: z.string().optional().describe('For people'),
  pace: Pace.optional().describe('For every rule that sets none'),
  rules: z.array(Rule).min(1).max(1_000).describe('In order; the first that fits wins'),
});
export type Scenario = z.infer<typeof Scenario>;

/** `one` and `[one]` mean the same in a scenario. */
export function toList<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
