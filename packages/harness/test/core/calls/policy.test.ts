import type { Effect, PermissionMode, Tier } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { decide, type PolicyCase, resolveTier, toRisk, toScopes } from '../../../src/core/calls/policy.ts';

const modes: PermissionMode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];
const effects: Effect[] = ['read', 'write', 'execute', 'delegate'];
const tiers: (Tier | undefined)[] = [undefined, 'auto', 'session', 'always'];
const grant = { id: 'grt_1', scope: 'session' as const };

/** Every case there is. */
function* everyCase(): Generator<PolicyCase> {
  for (const mode of modes)
    for (const effect of effects)
      for (const inWorkspace of [true, false])
        for (const external of [true, false])
          for (const perTool of tiers)
            for (const role of tiers)
              for (const tool of tiers)
                for (const defaultTier of ['auto', 'session', 'always'] as const)
                  for (const found of [undefined, grant])
                    yield {
                      mode,
                      effect,
                      inWorkspace,
                      external,
                      tiers: { perTool, role, tool, defaultTier },
                      grant: found,
                    };
}

/** The table of the design, written a second time by hand: what happens before tiers are asked. */
function expectedCell({ mode, effect, inWorkspace, external }: PolicyCase): 'run' | 'refuse' | 'by tier' {
  const reads = effect === 'read' && !external;
  if (mode === 'bypassPermissions') return 'run';
  if (mode === 'plan') return reads ? 'by tier' : 'refuse';
  if (mode === 'default' || external) return 'by tier';
  if (effect === 'execute') return 'by tier';
  if (effect === 'write') return inWorkspace ? 'run' : 'by tier';
  return 'run';
}

describe('the policy', () => {
  const all = [...everyCase()];

  it('follows the table in every case there is', () => {
    const wrong = all.filter((asked) => {
      const { verdict } = decide(asked);
      const cell = expectedCell(asked);
      if (cell === 'run') return verdict !== 'allow';
      if (cell === 'refuse') return verdict !== 'deny';
      const { perTool, role, tool, defaultTier } = asked.tiers;
      const tier = perTool ?? role ?? tool ?? defaultTier;
      if (tier === 'auto') return verdict !== 'allow';
      const granted = asked.grant !== undefined && tier !== 'always';
      return verdict !== (granted ? 'allow' : 'ask');
    });
    expect(wrong).toEqual([]);
    expect(all).toHaveLength(24_576);
  });

  it('names the rule that decided, always', () => {
    expect(all.filter((asked) => decide(asked).rule.length < 5)).toEqual([]);
  });

  it('never becomes freer when a tier becomes stricter', () => {
    const freedom = { deny: 0, ask: 1, allow: 2 };
    const worse = all.filter((asked) => {
      const stricter = { ...asked, tiers: { ...asked.tiers, perTool: 'always' as const } };
      return freedom[decide(stricter).verdict] > freedom[decide(asked).verdict];
    });
    expect(worse).toEqual([]);
  });

  it('never lets a grant turn a refusal into anything else', () => {
    const refused = all.filter((asked) => decide({ ...asked, grant: undefined }).verdict === 'deny');
    expect(refused.filter((asked) => decide({ ...asked, grant }).verdict !== 'deny')).toEqual([]);
  });

  it('refuses what is forbidden in every case there is, by that rule', () => {
    const forbidden = 'the home is out of bounds';
    const expected = { verdict: 'deny', rule: forbidden };
    for (const asked of all) expect(decide({ ...asked, forbidden })).toEqual(expected);
  });

  it('asks about what is sensitive wherever anything runs, but for a grant and in bypass', () => {
    const sensitive = '.env is likely to hold secrets';
    const wrong = all.filter((asked) => {
      const plain = decide(asked);
      const { verdict, rule } = decide({ ...asked, sensitive });
      if (asked.mode === 'bypassPermissions' || plain.verdict === 'deny') return verdict !== plain.verdict;
      const isGranted = asked.grant && resolveTier(asked.tiers).tier !== 'always';
      return isGranted
        ? verdict !== 'allow' || !rule.includes('grt_1')
        : verdict !== 'ask' || rule !== sensitive;
    });
    expect(wrong).toEqual([]);
  });

  it('asks each time in tier always, whoever says so and whatever was granted, and offers no grant', () => {
    const always = all.filter(({ tiers }) => resolveTier(tiers).tier === 'always');
    expect(always.filter((asked) => decide({ ...asked, grant }).rule.startsWith('grant '))).toEqual([]);
    const offered = new Set(always.map(({ tiers }) => toScopes(tiers).join()));
    expect([...offered]).toEqual(['once']);
    const session = { defaultTier: 'session' } as const;
    expect([toScopes(session), toScopes(session, true)]).toEqual([
      ['once', 'session', 'always'],
      ['once', 'always'],
    ]);
  });

  it('takes the first voice that speaks: the person, the role, the tool, the default', () => {
    const voices = [
      resolveTier({ perTool: 'auto', role: 'always', tool: 'always', defaultTier: 'always' }),
      resolveTier({ role: 'auto', tool: 'always', defaultTier: 'always' }),
      resolveTier({ tool: 'auto', defaultTier: 'always' }),
      resolveTier({ defaultTier: 'auto' }),
    ];
    expect(voices.map(({ source }) => source)).toEqual([
      'toolApproval.perTool',
      'the role',
      'the tool',
      'toolApproval.defaultTier',
    ]);
  });

  it('calls low only what cannot change anything', () => {
    const low = all.filter((asked) => toRisk(asked) === 'low');
    expect(low.every(({ effect, external }) => effect === 'read' && !external)).toBe(true);
  });
});
