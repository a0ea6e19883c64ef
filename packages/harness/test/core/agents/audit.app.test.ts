// What people change about agents says whose agents they are: root, the agent above, and depth.
import { expect, it } from 'vitest';
import { openAgentYard } from './stage.ts';

const stay = () => [{ text: 'Here.' }, { untilAborted: true as const }];

it('a draft, a mode, a kill and a deletion name root, parent and depth; a session of one’s own has none', async () => {
  const yard = await openAgentYard({ stay });
  const { agents, audit, sessions } = yard.client();
  const root = await sessions.create({ role: 'coordinator' });
  const draft = (sessionId: string) => agents.draft({ sessionId, role: 'coordinator', prompt: 'stay' });
  const child = await draft(root.id);
  const grandchild = await draft(child.sessionId);
  const { sessionId } = grandchild;
  await sessions.change(root.id, { mode: 'default' });
  await sessions.change(sessionId, { mode: 'default' });
  await agents.kill(grandchild.id);
  await sessions.delete(sessionId);

  const rows = (await audit.list()).items.filter(({ kind }) => kind === 'change');
  const rootSessionId = root.id;
  const ofChild = { rootSessionId, agentId: child.id, depth: 1 };
  const lineage = { rootSessionId, parentAgentId: child.id, agentId: grandchild.id, depth: 2 };
  expect(rows.map((row) => [row.change, row.sessionId, row.lineage])).toEqual([
    ['agent_drafted', child.sessionId, ofChild],
    ['agent_drafted', sessionId, lineage],
    ['mode_changed', root.id, undefined],
    ['mode_changed', sessionId, lineage],
    ['agent_killed', sessionId, lineage],
    ['session_deleted', sessionId, lineage],
  ]);
  expect(await audit.verify()).toMatchObject({ ok: true });
});
