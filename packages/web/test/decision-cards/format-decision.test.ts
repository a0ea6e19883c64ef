import type { Approval } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import {
  formatDecision,
  formatOnlyOnce,
  formatRule,
  formatWaiting,
  toChoices,
} from '../../src/decision-cards/format-decision.ts';
import { toToolName } from '../../src/queries/tool-name.ts';

const sessionId = `ses_${'0'.repeat(22)}`;
const approval: Approval = {
  id: `apr_${'0'.repeat(22)}`,
  sessionId,
  rootSessionId: sessionId,
  turnId: `trn_${'0'.repeat(22)}`,
  toolCallId: 'a',
  tool: 'mcp__lab__run',
  effect: 'execute',
  risk: 'high',
  input: { b: 1, a: 'x' },
  inputHash: '',
  schemaHash: '',
  grantKey: 'mcp__lab__run {"a":"x","b":1}',
  state: 'pending',
  rule: 'tier session, by the tool',
  scopes: ['once', 'session', 'always'],
  lineage: { rootSessionId: sessionId, depth: 0 },
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:30:00.000Z',
  unattended: 'deny',
};

function toMeanings(changed: Partial<Approval>): [string, string][] {
  return toChoices({ ...approval, ...changed }, undefined).map(({ key, meaning }) => [key, meaning]);
}

describe('what each answer would grant', () => {
  it('says so for a key that is the whole input', () => {
    expect(toMeanings({})).toEqual([
      ['d', 'The agent is told no, and why.'],
      ['a', 'This one call, exactly as shown.'],
      ['s', 'This tool with exactly this input, in this session, for 7 days at most.'],
      [
        'w',
        'This tool with exactly this input, for this role in this workspace, for 90 days at most. You can take it back in the settings.',
      ],
    ]);
  });

  it('says so for a key that is the tool, and for one that is something else', () => {
    expect(toMeanings({ grantKey: approval.tool })[2]?.[1]).toMatch(/^This tool with any input, /);
    expect(toMeanings({ grantKey: `${approval.tool} git *\u202e` })[2]?.[1]).toMatch(
      /^This tool with git \*⟨U\+202E⟩, /,
    );
  });

  it('is offered as far as the approval says, and as this one call where it says nothing', () => {
    const keysFor = (scopes: Approval['scopes']) => toMeanings({ scopes }).map(([key]) => key);
    expect([keysFor(['once']), keysFor(['once', 'always']), keysFor(undefined)]).toEqual([
      ['d', 'a'],
      ['d', 'a', 'w'],
      ['d', 'a'],
    ]);
  });

  it('says why there is no wider answer, and how to be asked less', () => {
    expect(formatOnlyOnce(approval)).toBeUndefined();
    expect(formatOnlyOnce({ ...approval, scopes: ['once'] })).toBe(
      'It is asked about every time, so no wider answer is offered. To be asked once in a session instead, set toolApproval.perTool for mcp__lab__run to session.',
    );
  });
});

describe('words about an approval', () => {
  it('say the rule', () => {
    expect(formatRule('tier session, by the tool')).toBe(
      'A call like this is asked about once in a session: the tool says so itself.',
    );
    expect(formatRule('it reads\u200b a secret')).toBe('it reads⟨U+200B⟩ a secret');
  });

  it('say how long it waits', () => {
    const now = Date.parse(approval.createdAt);
    const said = [now, now + 1_750_000, now + 1_900_000].map((at) => formatWaiting(approval, at));
    expect(said).toEqual(['Expires in 30 min.', 'Expires in 50 s.', 'About to expire.']);
    expect(formatWaiting({ expiresAt: null, unattended: 'park' }, now)).toMatch(/^Parked/);
  });

  it('say who answered, and from where', () => {
    const owner = { kind: 'person', id: 'owner', via: 'terminal' } as const;
    expect(formatDecision({ state: 'allowed', scope: 'session', decidedBy: owner })).toBe(
      'Allowed for this session by the owner, from the terminal',
    );
    expect(formatDecision({ state: 'denied', decidedBy: { ...owner, id: 'tok_1', via: 'web' } })).toBe(
      'Denied by a person, from the page',
    );
    const web = { ...owner, id: 'tok_1', via: 'web' };
    expect(formatDecision({ state: 'denied', decidedBy: web }, () => 'Firefox on Linux')).toBe(
      'Denied by Firefox on Linux, from the page',
    );
    const system = { kind: 'system', id: 'toolyard', via: 'the grant of apr_1' } as const;
    expect(formatDecision({ state: 'allowed', scope: 'once', decidedBy: system })).toBe(
      'Allowed once with the same call beside it',
    );
    expect(formatDecision({ state: 'expired' })).toBe('Expired: nobody answered in time');
  });
});

describe('the name of a tool', () => {
  it('is taken apart into what it is called and whose it is', () => {
    expect(['mcp__lab__run__it', 'claude:Bash', 'odd\u200bname'].map(toToolName)).toEqual([
      { name: 'run__it', owner: 'lab' },
      { name: 'Bash', owner: 'claude' },
      { name: 'odd⟨U+200B⟩name' },
    ]);
  });
});
