// `approvals list`, `show`, `allow` and `deny`.
import {
  AnswerApproval,
  ApprovalState,
  type Client,
  type ListedApproval,
  ToolyardError,
} from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toChoice, toNumber } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { toBrief, toCard } from '../decision-prompts/approval-card.ts';
import { formatEnding, toAllow } from '../decision-prompts/approval-prompt.ts';
import { toAge } from '../terminal/lines.ts';
import { program } from '../terminal/program.ts';
import { writeTable } from '../terminal/table.ts';

const maxShown = 500;

export async function listApprovals(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const state = call.options.state && toChoice(call.options.state, '--state', ApprovalState.options);
  const limit = toNumber(call.options.limit ?? '50', '--limit', { min: 1, max: maxShown });
  const link = await createServerLink(call);
  const list = await link.ask((client) => client.approvals.list({ limit, ...(state && { state }) }));
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0) out.line(state ? `No approval is ${state}.` : 'No approvals yet.');
  else {
    const rows = list.items.map((approval) => toRow(approval, Date.now()));
    writeTable(out, ['ID', 'STATE', 'ASKED', 'RISK', 'TOOL', 'INPUT'], rows);
    const waiting = await link.ask(countPending);
    if (waiting)
      err.line(err.paint('dim', `${waiting} pending. Review one, then answer: ${program} approvals show ID`));
  }
  return 0;
}

async function countPending(client: Client): Promise<number> {
  return (await client.approvals.list({ state: 'pending', limit: maxShown })).items.length;
}

function toRow(listed: ListedApproval, now: number): string[] {
  const { id, state, scope, createdAt, risk, tool, input, shortenedFrom } = listed;
  const brief = toBrief(input, 60, shortenedFrom);
  return [id, scope ? `${state} (${scope})` : state, toAge(createdAt, now), risk, tool, brief];
}

export async function showApproval(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const link = await createServerLink(call);
  const approval = await link.ask((client) => client.approvals.get(id));
  if (call.flags.has('json')) {
    out.line(JSON.stringify(approval));
    return 0;
  }
  const session = await link.ask((client) => client.sessions.get(approval.sessionId)).catch(() => undefined);
  out.line(toCard(out, { approval, session }, { now: Date.now(), whole: true }));
  if (approval.state !== 'pending') out.line(`  ${formatEnding(out, approval, approval)}`);
  else err.line(err.paint('dim', `Answer: ${toAllow(approval)}, or ${program} approvals deny ${id}`));
  return 0;
}

export async function allowApproval(call: Call): Promise<number> {
  return answer(call, 'allow');
}

export async function denyApproval(call: Call): Promise<number> {
  return answer(call, 'deny');
}

async function answer(call: Call, decision: AnswerApproval['decision']): Promise<number> {
  const { out, err } = call.terminal;
  const [id = ''] = call.words;
  const { scope, reason } = call.options;
  const body = AnswerApproval.safeParse({ decision, ...(scope && { scope }), ...(reason && { reason }) });
  if (!body.success) {
    const [problem] = body.error.issues;
    throw new ToolyardError('usage', `--${problem?.path.join('.')}: ${problem?.message}`);
  }
  const link = await createServerLink(call);
  // Not retried after a lost connection: our own first answer would then look like somebody else's.
  const answered = await link.client.approvals.answer(id, body.data);
  out.line(call.flags.has('json') ? JSON.stringify(answered) : formatEnding(out, answered, answered));
  if (decision === 'allow' && scope && answered.scope !== scope)
    err.line(`It was allowed once: a wider scope has no effect here (${answered.rule}).`);
  return 0;
}
