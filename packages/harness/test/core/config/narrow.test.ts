import { Config, type Effect, type PermissionMode, type Role, RoleHead, type Tier } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { judgeAccess } from '../../../src/core/access/access.ts';
import { decide, type PolicyCase } from '../../../src/core/calls/policy.ts';
import { narrow } from '../../../src/core/config/narrow.ts';
import { createRandom, type Random } from '../../crash/random.ts';

const tierList = ['auto', 'session', 'always'] as const;
const modeList = ['plan', 'default', 'acceptEdits', 'bypassPermissions'] as const;
const categories = ['conversational', 'coding', 'craft'] as const;
/** Names that an object has by birth are tools like any other. */
const toolList = ['mcp__toolyard__a', 'mcp__toolyard__b', 'claude:Bash', 'constructor', 'toString'] as const;
const kits = ['server', 'sessions', 'hasOwnProperty'] as const;

function someConfig(random: Random): Config {
  const some = <T, V>(items: readonly [T, ...T[]], value: () => V) =>
    Object.fromEntries(items.filter(() => random.chance(0.5)).map((item) => [item, value()]));
  return Config.parse({
    server: { port: random.between(0, 65_535) },
    defaults: {
      mode: random.pick(modeList),
      model: random.pick(['a/b', 'c/d']),
      role: random.pick(['x', 'y']),
    },
    providers: some(['local', 'openai'], () => ({
      type: 'openai-compatible',
      baseUrl: `http://127.0.0.1:${random.between(1, 65_535)}/v1`,
    })),
    limits: { maxSteps: random.between(1, 1000) },
    toolkits: some(kits, () => random.chance(0.5)),
    toolApproval: {
      defaultTier: random.pick(tierList),
      perTool: some(toolList, () => random.pick(tierList)),
      approvalTimeout: random.between(1, 2_000_000),
      unattended: random.pick(['deny', 'park']),
      maxPending: random.between(1, 10_000),
      maxQuestions: random.between(1, 10_000),
    },
    mcp: {
      streamTimeout: random.between(1, 600_000),
      fullAccessCategories: categories.filter(() => random.chance(0.5)),
    },
    tools: { deadlineMs: random.between(1, 120_000), hookDeadlineMs: random.between(1, 120_000) },
    output: { maxBytes: random.between(1_024, 60_000), keepBytes: random.between(1_024, 60_000) },
    retention: { days: random.between(1, 36_500), maxMb: random.between(1, 9_999) },
  });
}

/** What a call would meet under a configuration, in every case its role, its tool and its grants allow. */
function* everyCase(config: Config, mode: PermissionMode): Generator<[string, PolicyCase]> {
  const { perTool, defaultTier } = config.toolApproval;
  const voices: (Tier | undefined)[] = [undefined, ...tierList];
  const grants = [undefined, { id: 'grt_1', scope: 'session' }, { id: 'grt_2', scope: 'always' }] as const;
  for (const tool of [...toolList, 'mcp__toolyard__unnamed'])
    for (const effect of ['read', 'write', 'execute', 'delegate'] satisfies Effect[])
      for (const role of voices)
        for (const own of voices)
          for (const grant of grants)
            for (const inWorkspace of [true, false]) {
              const said = Object.hasOwn(perTool, tool) ? perTool[tool] : undefined;
              const tiers = { perTool: said, role, tool: own, defaultTier };
              const asked = { mode, effect, inWorkspace, external: false, tiers, grant };
              yield [JSON.stringify([tool, effect, role, own, grant, inWorkspace]), asked];
            }
}

const freedom = { deny: 0, ask: 1, allow: 2 };
const role = (category: string): Role => ({
  ...RoleHead.parse({ name: 'x', description: 'd', category }),
  instructions: '',
  source: 'home',
  file: 'x.md',
});

describe('for any two configurations, the narrowed one', () => {
  const rounds = Array.from({ length: 150 }, (_, seed) => {
    const random = createRandom(seed);
    const [base, wanted] = [someConfig(random), someConfig(random)];
    return { seed, base, wanted, narrowed: narrow(base, wanted) };
  });

  test('allows no call that the person’s own would ask about or deny', () => {
    let stricterSomewhere = 0;
    for (const { seed, base, narrowed } of rounds) {
      const after = new Map(everyCase(narrowed, narrowed.defaults.mode));
      for (const [name, asked] of everyCase(base, base.defaults.mode)) {
        const judged = after.get(name);
        if (!judged) throw new Error('a case is missing');
        const [before, now] = [freedom[decide(asked).verdict], freedom[decide(judged).verdict]];
        if (now > before) expect.fail(`seed ${seed}: ${name} is wider: ${JSON.stringify([asked, judged])}`);
        if (now < before) stricterSomewhere++;
      }
    }
    expect(stricterSomewhere).toBeGreaterThan(1_000);
  });

  test('offers no category more, switches no toolkit on, raises no limit', () => {
    for (const { base, wanted, narrowed } of rounds) {
      for (const category of categories) {
        const offered = (config: Config) => judgeAccess(role(category), 'mcp__toolyard__a', config).offered;
        expect(offered(narrowed)).toBe(offered(base) && offered(wanted));
      }
      const isOn = (config: Config, kit: string) =>
        !(Object.hasOwn(config.toolkits, kit) && config.toolkits[kit] === false);
      for (const kit of [...kits, 'unnamed']) {
        expect(isOn(narrowed, kit)).toBe(isOn(base, kit) && isOn(wanted, kit));
      }
      const numbers = (config: Config) => [
        config.limits.maxSteps,
        config.toolApproval.approvalTimeout,
        config.toolApproval.maxPending,
        config.toolApproval.maxQuestions,
        config.mcp.streamTimeout,
        config.tools.deadlineMs,
        config.tools.hookDeadlineMs,
        config.output.maxBytes,
        config.output.keepBytes,
      ];
      const others = numbers(wanted);
      expect(numbers(narrowed)).toEqual(
        numbers(base).map((own, index) => Math.min(own, others[index] ?? own)),
      );
    }
  });

  test('keeps the person’s server, providers, role, engine and model, and denies when either denies the unattended', () => {
    for (const { base, wanted, narrowed } of rounds) {
      const denies = [base, wanted].some(({ toolApproval }) => toolApproval.unattended === 'deny');
      expect([narrowed.providers, narrowed.retention]).toEqual([base.providers, base.retention]);
      expect([narrowed.server, { ...narrowed.defaults, mode: '' }, narrowed.toolApproval.unattended]).toEqual(
        [base.server, { ...base.defaults, mode: '' }, denies ? 'deny' : 'park'],
      );
    }
  });

  test('is a configuration, and narrowing it again changes nothing', () => {
    for (const { base, wanted, narrowed } of rounds) {
      expect([Config.parse(narrowed), narrow(narrowed, wanted), narrow(base, base)]).toEqual([
        narrowed,
        narrowed,
        base,
      ]);
    }
  });
});

describe('how often to ask for one tool', () => {
  const perTool = (base: Record<string, Tier>, wanted: Record<string, Tier>) =>
    narrow(
      Config.parse({ toolApproval: { perTool: base } }),
      Config.parse({ toolApproval: { perTool: { ...base, ...wanted } } }),
    ).toolApproval.perTool;

  test.each<[Tier, Tier, Tier]>([
    ['auto', 'session', 'session'],
    ['auto', 'always', 'always'],
    ['session', 'auto', 'session'],
    ['always', 'auto', 'always'],
    ['always', 'session', 'always'],
  ])('%s of the person and %s of the workspace is %s', (own, theirs, expected) => {
    expect(perTool({ t: own }, { t: theirs })).toEqual({ t: expected });
  });

  test('where the person says nothing, only "always" is taken: the tool itself may be stricter than any other', () => {
    expect(perTool({}, { a: 'auto', b: 'session', c: 'always' })).toEqual({ c: 'always' });
  });
});

test('the modes from strict to lax are plan, default, acceptEdits, bypassPermissions', () => {
  const withMode = (mode: PermissionMode) => Config.parse({ defaults: { mode } });
  for (const [strict, own] of modeList.entries())
    for (const [lax, theirs] of modeList.entries()) {
      const { mode } = narrow(withMode(own), withMode(theirs)).defaults;
      expect([own, theirs, mode]).toEqual([own, theirs, modeList[Math.min(strict, lax)]]);
    }
});
