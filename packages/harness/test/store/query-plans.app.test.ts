// However many dispatches there were, no question about agents and tasks goes through all of them: SQLite tells how it
// would answer, and that does not depend on a clock.
import { DatabaseSync } from 'node:sqlite';
import type { AgentReads, DispatchFilter } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { createAgentReads } from '../../src/store/agent-queries/agents.ts';
import { createRunReads } from '../../src/store/agent-queries/runs.ts';
import { createTaskReads } from '../../src/store/agent-queries/tasks.ts';
import { migrations } from '../../src/store/migrations/list.ts';
import { createKysely, type Statement } from '../../src/store/sqlite/prepare.ts';

const memory = new DatabaseSync(':memory:');
for (const { sql } of migrations) memory.exec(sql);

/** The steps in which SQLite would answer, in its words. */
async function explain(ask: (reads: AgentReads) => Promise<unknown>): Promise<string[]> {
  const asked: Statement[] = [];
  const db = createKysely(async (query) => {
    asked.push(query);
    return { rows: [] };
  });
  await ask({ ...createAgentReads(db), ...createTaskReads(db), ...createRunReads(db) });
  const plans = asked.map(({ sql }) => memory.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  return plans.flat().map(({ detail }) => String(detail));
}

/** Which index finds the rows, and by how much of it. */
const found: [DispatchFilter, string][] = [
  [{ drafted: true }, 'dispatches_by_kind (drafted=?)'],
  [{ live: true, drafted: true }, 'dispatches_live'],
  [{ unresolved: true, drafted: true }, 'dispatches_unresolved'],
  [{ taskSlug: 't' }, 'dispatches_by_task (task_slug=?)'],
  [{ taskSlug: 't', drafted: true }, 'dispatches_by_task (task_slug=?)'],
  [{ taskSlug: 't', live: true }, 'dispatches_live_by_task (task_slug=?)'],
  [{ taskSlug: 't', unresolved: true }, 'dispatches_unresolved_by_task (task_slug=?)'],
  [{ runId: 'r' }, 'dispatches_by_run (run_id=?)'],
  [{ runId: 'r', taskSlug: 't' }, 'dispatches_by_run (run_id=?)'],
  [{ runId: 'r', live: true, drafted: true }, 'dispatches_live_by_run (run_id=?)'],
  [{ runId: 'r', drafted: true, since: 's' }, 'dispatches_by_run (run_id=? AND drafted_at>?)'],
  [{ rootSessionId: 's', taskSlug: 't' }, 'dispatches_by_root (root_session_id=?)'],
  [{ rootSessionId: 's', live: true }, 'dispatches_live_by_root (root_session_id=?)'],
  [{ parentSessionId: 's', rootSessionId: 's' }, 'dispatches_by_parent (parent_session_id=?)'],
  [{ parentSessionId: 's', live: true }, 'dispatches_live_by_parent (parent_session_id=?)'],
  [{ since: 's', drafted: true }, 'dispatches_by_time (drafted_at>?)'],
];

describe('what is asked about agents and tasks', () => {
  test.each(found)('finds dispatches of %j by an index, to list and to count them', async (filter, index) => {
    const plans = [
      await explain((reads) => reads.dispatches({ ...filter, limit: 9 })),
      await explain((reads) => reads.countDispatches(filter)),
    ];
    const words = /^(SEARCH|SCAN) dispatches USING (COVERING )?INDEX /;
    expect(plans.map(([first]) => first?.replace(words, ''))).toEqual([index, index]);
  });

  test('goes on where a page ended without walking there', async () => {
    const plan = await explain((reads) => reads.dispatches({ taskSlug: 't', limit: 9, after: 'a' }));
    expect(plan).toEqual([
      'SEARCH dispatches USING INDEX dispatches_by_task (task_slug=? AND position<?)',
      'SCALAR SUBQUERY 1',
      'SEARCH dispatches USING COVERING INDEX sqlite_autoindex_dispatches_1 (id=?)',
    ]);
  });

  test('the newest run of a caller is looked for among its own sessions', async () => {
    const plan = await explain((reads) => reads.latestRun({ caller: 'c', role: 'r', cwd: '/' }));
    expect(plan.filter((step) => step.startsWith('S'))).toEqual([
      'SEARCH runs USING INDEX runs_by_root (root_session_id=?)',
      'SEARCH sessions USING INDEX sessions_by_caller (caller=? AND role=?)',
    ]);
  });

  test.each<[string, (reads: AgentReads) => Promise<unknown>]>([
    ['dispatch', (reads) => reads.dispatch('a')],
    ['dispatchOfTurn', (reads) => reads.dispatchOfTurn('t')],
    ['task', (reads) => reads.task('t')],
    ['tasks', (reads) => reads.tasks({ status: 'open', limit: 9, after: 't' })],
    ['countByStatus', (reads) => reads.countByStatus('t')],
    ['run', (reads) => reads.run('r')],
    ['latestRun', (reads) => reads.latestRun('s')],
    ['spentSince', (reads) => reads.spentSince('s')],
  ])('%s searches and never scans, nor counts a task’s dispatches', async (name, ask) => {
    const plan = await explain(ask);
    const tables = name.startsWith('dispatch')
      ? /^SEARCH dispatches/
      : /^SEARCH (tasks|seen|task_counts|runs|usage)/;
    const steps = plan.filter((step) => !/^(CORRELATED )?SCALAR SUBQUERY/.test(step));
    expect(steps).not.toEqual([]);
    expect(steps.filter((step) => !tables.test(step))).toEqual([]);
  });
});
