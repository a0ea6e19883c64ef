// Evidence is found in either order, a bounded number of rows at a time.
import type { AuditEntry } from '../../protocol/audit.ts';
import type { AuditSearch } from '../../store/store.ts';
import { assertEqual } from '../support/assertions.ts';
import { type StoreCase, sampleTime, sessionId } from '../support/store-samples.ts';

const person = { kind: 'person', id: 'owner', via: 'web' } as const;
const agent = { kind: 'agent', id: sessionId(1), via: 'native' } as const;

function entry(rest: Partial<AuditEntry>): AuditEntry {
  return { kind: 'decision', at: sampleTime, actor: agent, costUsd: 0, ...rest };
}

const entries = [
  entry({ tool: 'mcp__x__y', decision: 'allow', sessionId: sessionId(1), input: { path: 'Größe "A"' } }),
  entry({ tool: 'mcp__x__y', kind: 'result', outcome: 'done', sessionId: sessionId(1) }),
  entry({ tool: 'mcp__x__z', decision: 'deny', actor: person }),
  entry({ kind: 'change', change: 'mode_changed', subject: 'plan', actor: person }),
];

const newest: AuditSearch = { filter: {}, order: 'desc', after: 0, limit: 10, scan: 100 };

export const auditCases: StoreCase[] = [
  {
    title: 'finds evidence by what it says, newest first or oldest first, page by page',
    async play({ store }) {
      await store.commit(async (tx) => {
        for (const each of entries) await tx.appendAudit(each);
      });
      const find = async (search: Partial<AuditSearch>) => {
        const { rows, next } = await store.reads.findAudit({ ...newest, ...search });
        return [rows.map(({ seq }) => seq), next];
      };
      const filters: AuditSearch['filter'][] = [
        { kind: 'result' },
        { decision: 'deny' },
        { tool: 'mcp__x__y', actor: 'agent' },
        { sessionId: sessionId(1), kind: 'decision' },
        { q: 'E "a' },
        { q: 'PLAN' },
        { q: 'tool' },
      ];
      const found = [];
      for (const filter of filters) found.push((await find({ filter }))[0]);
      assertEqual(found, [[2], [3], [2, 1], [1], [1], [4], []], 'what is found');
      assertEqual(await find({}), [[4, 3, 2, 1], undefined], 'all');
      assertEqual(await find({ limit: 3 }), [[4, 3, 2], 2], 'a first page');
      assertEqual(await find({ limit: 3, after: 2 }), [[1], undefined], 'the page after it');
      assertEqual(await find({ order: 'asc', limit: 2, after: 1 }), [[2, 3], 3], 'oldest first');
      const rare = { filter: { q: 'größe' }, scan: 2 };
      assertEqual(await find(rare), [[], 3], 'not found in the first rows');
      assertEqual(await find({ ...rare, after: 3 }), [[1], 1], 'found in the next ones');
      assertEqual(await find({ ...rare, after: 1 }), [[], undefined], 'and that is all');
      const [row] = (await store.reads.findAudit({ ...newest, after: 2 })).rows;
      assertEqual([row], await store.reads.auditRows({ after: 0, limit: 1 }), 'the whole row');
    },
  },
];
