// An approval put to the person at a client, and what they may answer. Shows all that hides, and decides nothing.
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import {
  type AnswerApproval,
  type Approval,
  scopesOf,
  toExcerpt,
  toVisibleJson,
  toVisibleLine,
} from '@toolyard/sdk';
import { z } from 'zod';

const deny: AnswerApproval = { decision: 'deny' };
const answers: Readonly<Record<string, AnswerApproval>> = {
  'allow once': { decision: 'allow', scope: 'once' },
  'allow for this session': { decision: 'allow', scope: 'session' },
  deny,
};

/** What may be answered about it. What holds longer than a client's own session is granted elsewhere. */
function toAnswers(approval: Approval): string[] {
  const scopes = scopesOf(approval);
  return Object.keys(answers).filter((name) => {
    const scope = answers[name]?.scope;
    return scope === undefined || scopes.includes(scope);
  });
}

export function toElicitation(approval: Approval): ElicitRequestFormParams {
  const { tool, effect, risk, input, preview, rule, id } = approval;
  const shown = toVisibleJson(input);
  const lines = [
    `Allow ${toVisibleLine(tool)}? Effect ${effect}, risk ${risk}. Rule: ${toVisibleLine(rule)}.`,
    `Input (${shown.length} characters):\n${shown.text}`,
    ...(preview === undefined ? [] : [`Preview:\n${toExcerpt(preview).text}`]),
    `You can also answer with: ${formatHowToAnswer(id)}`,
  ];
  return {
    mode: 'form',
    message: lines.join('\n\n'),
    requestedSchema: {
      type: 'object',
      properties: { decision: { type: 'string', title: 'Decision', enum: toAnswers(approval) } },
      required: ['decision'],
    },
  };
}

export function formatHowToAnswer(approvalId: string): string {
  return `toolyard approvals allow ${approvalId}`;
}

const Reply = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.object({ decision: z.string() }) }),
  z.object({ action: z.literal('decline') }),
  z.object({ action: z.literal('cancel') }),
]);

/** `dismissed`: the person wants to answer elsewhere or later. Nothing: what came back is no answer. */
export function parseReply(reply: unknown): AnswerApproval | 'dismissed' | undefined {
  const parsed = Reply.safeParse(reply);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  if (data.action === 'cancel') return 'dismissed';
  if (data.action === 'decline') return deny;
  const { decision } = data.content;
  return Object.hasOwn(answers, decision) ? answers[decision] : undefined;
}
