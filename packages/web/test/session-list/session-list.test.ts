import type { Session } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { insert } from '../../src/queries/session-pages.ts';
import { matches, toGroups } from '../../src/session-list/session-groups.ts';

const now = Date.parse('2026-11-15T12:00:00.000Z');

function session(number: number, part: Partial<Session> = {}): Session {
  const id = `ses_${String(number).padStart(22, '0')}`;
  return {
    id,
    title: `Session ${number}`,
    role: 'assistant',
    engine: 'native',
    model: 'any',
    mode: 'default',
    cwd: '/project',
    workspace: '/project',
    status: 'idle',
    lastSeq: 0,
    rootSessionId: id,
    costUsd: 0,
    createdAt: new Date(now).toISOString(),
    updatedAt: new Date(now).toISOString(),
    ...part,
  };
}

const numbers = (pages: { items: Session[] }[]) =>
  pages.map(({ items }) => items.map(({ id }) => Number(id.slice(4))));

describe('a session that changed', () => {
  const pages = [
    { items: [session(9), session(7)], next: session(7).id },
    { items: [session(5), session(3)], next: session(3).id },
  ];

  it('takes the place it has', () => {
    const changed = insert(pages, session(5, { title: 'Renamed' }));
    expect(numbers(changed)).toEqual([
      [9, 7],
      [5, 3],
    ]);
    expect(changed[1]?.items[0]?.title).toBe('Renamed');
  });

  it('comes in at its place when it is new, wherever that is', () => {
    expect(numbers(insert(pages, session(10)))).toEqual([
      [10, 9, 7],
      [5, 3],
    ]);
    expect(numbers(insert(pages, session(4)))).toEqual([
      [9, 7],
      [5, 4, 3],
    ]);
  });

  it('stays away when its page was not read yet, and comes last when there is no further page', () => {
    expect(insert(pages, session(1))).toBe(pages);
    const [first, last] = pages;
    const whole = [first ?? { items: [] }, { items: last?.items ?? [] }];
    expect(numbers(insert(whole, session(1)))).toEqual([
      [9, 7],
      [5, 3, 1],
    ]);
  });
});

describe('the list', () => {
  it('groups sessions by the day they were begun', () => {
    const at = (days: number) => ({ createdAt: new Date(now - days * 86_400_000).toISOString() });
    const sessions = [
      session(9, at(0)),
      session(8, at(0)),
      session(7, at(1)),
      session(6, at(3)),
      session(5, at(60)),
    ];
    expect(toGroups(sessions, now).map(({ name, sessions: all }) => [name, all.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
      ['This week', 1],
      [expect.stringContaining('2026'), 1],
    ]);
  });

  it('has those that wait for a person first, also for one under them, then those at work', () => {
    const sessions = [
      session(9),
      session(8, { status: 'running' }),
      session(7, { status: 'running' }),
      session(6, { status: 'waiting' }),
      session(5),
    ];
    const groups = toGroups(sessions, now, new Set([session(8).id, session(5).id, 'ses_agent']));
    expect(groups.map(({ name, sessions: items }) => [name, ...numbers([{ items }]).flat()])).toEqual([
      ['Waits for you', 8, 6, 5],
      ['At work', 7],
      ['Today', 9],
    ]);
  });

  it('is narrowed by words that may stand anywhere in what is shown', () => {
    const one = session(1, { title: 'Fix the Login', role: 'developer' });
    expect(['login', 'fix login', 'DEV fix', 'logout'].map((filter) => matches(one, filter))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
