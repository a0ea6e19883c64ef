// What people decide, over HTTP: approvals, questions, grants, tokens.
import { type Approval, type ListedApproval, routes } from '@toolyard/sdk';
import type { Core } from '../../core/core.ts';
import { findWorkspace } from '../../core/workspace/workspaces.ts';
import { type HttpRouter, mount, toPage } from '../server/mount.ts';

export function mountDecisions(
  app: HttpRouter,
  { approvals, questions, grants, principals, roles, defaultCwd }: Core,
): void {
  mount(app, routes.listApprovals, async ({ query: { limit, ...filter } }) =>
    toPage((await approvals.list({ ...filter, limit })).map(toListed), limit),
  );
  mount(app, routes.getApproval, ({ params }) => approvals.get(params.id));
  mount(app, routes.answerApproval, ({ params, body, actor }) => approvals.answer(params.id, body, actor));
  mount(app, routes.listQuestions, async ({ query: { limit, ...filter } }) =>
    toPage(await questions.list({ ...filter, limit }), limit),
  );
  mount(app, routes.getQuestion, ({ params }) => questions.get(params.id));
  mount(app, routes.answerQuestion, ({ params, body, actor }) =>
    questions.answer(params.id, body.answer, actor),
  );
  mount(app, routes.listGrants, async () => ({ items: await grants.list() }));
  mount(app, routes.revokeGrant, ({ params, actor }) => grants.revoke(params.id, actor));
  mount(app, routes.listTokens, async ({ actor }) => {
    const tokens = await principals.listTokens();
    return { items: tokens.map((token) => (token.id === actor.id ? { ...token, current: true } : token)) };
  });
  mount(app, routes.createToken, async ({ body, actor }) => {
    if (body.role) await roles.find(body.role, findWorkspace(defaultCwd));
    return principals.createToken(body, actor);
  });
  mount(app, routes.revokeToken, ({ params, actor }) => principals.revokeToken(params.id, actor));
}

const maxChars = 4_096;

/**
 * An approval as it stands in a list: what is long is cut in the middle, and that it was is said. Whoever decides looks
 * at the whole one.
 */
function toListed(approval: Approval): ListedApproval {
  const { grantKey, preview } = approval;
  const input = JSON.stringify(approval.input);
  if (Math.max(input.length, grantKey.length, preview?.length ?? 0) <= maxChars) return approval;
  return {
    ...approval,
    input: input.length > maxChars ? cut(input) : approval.input,
    grantKey: cut(grantKey),
    ...(preview !== undefined && { preview: cut(preview) }),
    shortenedFrom: input.length,
  };
}

function cut(text: string): string {
  if (text.length <= maxChars) return text;
  const half = maxChars / 2;
  return `${text.slice(0, half)}⟨… ${text.length - maxChars} characters …⟩${text.slice(-half)}`;
}
