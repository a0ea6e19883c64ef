// What consent reaches with the real CLI, and what it does not: grants, the person's configuration, other sessions,
// hooks, a judge that fails, and tools that are not there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnswerApproval, Store } from '@toolyard/sdk';
import { createRecordingHost } from '@toolyard/sdk/testing';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Hooks } from '../../src/core/calls/hooks.ts';
import { absentTools } from '../../src/engines/claude/tools/absent-tools.ts';
import { openClaudeWorld } from '../engines/claude/claude-world.ts';
import { makeFolder } from '../support/workspace.ts';
import {
  type Call,
  converse,
  newSession,
  openClaudeYard,
  type Places,
  shareSession,
  type Turn,
} from './claude-yard.ts';

const bash = (command: string): Call => ({ tool: 'Bash', input: { command, description: 'a command' } });
const writes = ({ work }: Places, name: string): Call => ({
  tool: 'Write',
  input: { file_path: join(work, name), content: name },
});
const reads = ({ work }: Places, name: string): Call => ({
  tool: 'Read',
  input: { file_path: join(work, name) },
});
const always: AnswerApproval = { decision: 'allow', scope: 'session' };

/** What stands between a call and its run; each test says what it needs. */
let hooks: Hooks = {};
let breaks: 'judge' | undefined;
beforeEach(() => {
  hooks = {};
  breaks = undefined;
});

function withFailingJudge(store: Store): Store {
  const grantFor: Store['reads']['grantFor'] = async (asked) => {
    if (breaks === 'judge') throw new Error('the judge is broken');
    return store.reads.grantFor(asked);
  };
  return { ...store, reads: { ...store.reads, grantFor } };
}

const absent = [...absentTools.keys(), 'Task', 'KillShell', 'ListPeers'];

const yard = await openClaudeYard({
  config:
    'toolApproval: { perTool: { "claude:Glob": always, "claude:TaskList": session, "claude:Bash": session, "claude:Write": session } }\n',
  hooks: { beforeToolCall: (call) => hooks.beforeToolCall?.(call) },
  wrapStore: withFailingJudge,
  rules: [{ when: { userIs: 'what have you got?' }, reply: [{ text: '{{tools}}' }] }],
  script: (places) => ({
    'list twice': [[bash('ls')], [bash('ls')]],
    'list and remove': [[bash('ls'), bash('rm kept.txt'), bash('ls; rm kept.txt'), bash('ls\nrm kept.txt')]],
    'write twice': [[writes(places, 'one.txt')], [writes(places, 'two.txt')]],
    'glob twice': [
      [{ tool: 'Glob', input: { pattern: '*.txt' } }],
      [{ tool: 'Glob', input: { pattern: '*.txt' } }],
    ],
    'look twice': [[{ tool: 'TaskList', input: {} }], [{ tool: 'TaskList', input: {} }]],
    'touch mine': [[bash('touch mine.txt')]],
    'touch wide': [[bash('touch wide.txt')]],
    'every way': [[bash('touch way.txt'), writes(places, 'way2.txt'), reads(places, 'kept.txt')]],
    'what is absent': [
      absent.map((tool) => ({
        tool,
        input: { command: 'touch absent.txt', prompt: 'touch absent.txt', description: 'x', skill: 'x' },
      })),
    ],
  }),
});
writeFileSync(join(yard.work, 'kept.txt'), 'kept');
/** For tests that grant each its own tool. */
const granted = shareSession(yard);
/** For tests that give no grant, and look for none. */
const ungranted = shareSession(yard);

const has = (name: string) => existsSync(join(yard.work, name));
const askedIn = ({ calls }: Turn) => calls.map(({ approval }) => approval !== undefined);
const rulesIn = ({ calls }: Turn) => calls.map(({ audit }) => audit[0]?.rule ?? '');

describe('a grant', () => {
  test('A12: for `ls` in a session allows `ls` again, and neither `rm` nor anything around `ls`', async () => {
    const { id } = await granted();
    const first = await converse(yard, id, 'list twice', { approve: () => always });
    expect([askedIn(first), rulesIn(first)[1]]).toEqual([
      [true, false],
      expect.stringMatching(/^grant grt_/),
    ]);

    const second = await converse(yard, id, 'list and remove', { approve: () => ({ decision: 'deny' }) });
    expect(askedIn(second)).toEqual([false, true, true, true]);
    expect(has('kept.txt')).toBe(true);

    const other = await ungranted();
    const third = await converse(yard, other.id, 'list and remove', {
      approve: () => ({ decision: 'deny' }),
    });
    expect(askedIn(third)).toEqual([true, true, true, true]);
    expect(has('kept.txt')).toBe(true);
  });

  test('for writing in the workspace holds for its other files', async () => {
    const { id } = await granted();
    const turn = await converse(yard, id, 'write twice', { approve: () => always });
    expect([askedIn(turn), has('one.txt'), has('two.txt')]).toEqual([[true, false], true, true]);
  });

  test('does not outrank a configuration that asks each time', async () => {
    const { id } = await granted();
    const turn = await converse(yard, id, 'glob twice', { approve: () => always });
    expect([askedIn(turn), rulesIn(turn)]).toEqual([
      [true, true],
      ['tier always, by toolApproval.perTool', 'tier always, by toolApproval.perTool'],
    ]);
    const looked = await converse(yard, id, 'look twice', { approve: () => always });
    expect(askedIn(looked)).toEqual([true, false]);
  });
});

test('A10: the answer to another session’s approval lets nothing run here', async () => {
  const [mine, other] = [await ungranted(), await newSession(yard)];
  const waiting = Promise.withResolvers<AnswerApproval>();
  const asked = Promise.withResolvers<string>();
  const turn = converse(yard, mine.id, 'touch mine', {
    approve: ({ id }) => {
      asked.resolve(id);
      return waiting.promise;
    },
  });
  const own = await asked.promise;
  const elsewhere = await converse(yard, other.id, 'touch wide', { approve: () => always });
  expect(elsewhere.calls.map(({ isError }) => isError)).toEqual([false]);
  const { state } = await yard.client.approvals.get(own);
  expect([state, has('mine.txt')]).toEqual(['pending', false]);
  waiting.resolve({ decision: 'deny', reason: 'not here' });
  const { calls } = await turn;
  expect([calls[0]?.text, has('mine.txt')]).toEqual(['The person did not allow this call: not here', false]);
});

describe('a hook', () => {
  test.each(['default', 'bypassPermissions'] as const)(
    'P4: that narrows the input of a tool of the CLI in %s decides what is asked about and what runs',
    async (mode) => {
      hooks = {
        beforeToolCall: () => ({ input: { command: `touch narrow-${mode}.txt`, description: 'less' } }),
      };
      const { id } = await ungranted(mode);
      const { calls } = await converse(yard, id, 'touch mine');
      const narrowed = { command: `touch narrow-${mode}.txt`, description: 'less' };
      const asked = calls[0]?.approval?.input;
      expect(asked).toEqual(mode === 'default' ? narrowed : undefined);
      expect(calls[0]?.audit.map(({ input }) => input)).toEqual([narrowed, narrowed]);
      expect([has(`narrow-${mode}.txt`), has('mine.txt')]).toEqual([true, false]);
    },
  );

  test.each(['default', 'bypassPermissions'] as const)('that throws in %s lets nothing run', async (mode) => {
    hooks = {
      beforeToolCall: () => {
        throw new Error('broken');
      },
    };
    const { id } = await ungranted(mode);
    const turn = await converse(yard, id, 'every way');
    expect([askedIn(turn), rulesIn(turn)]).toEqual([
      [false, false, false],
      Array(3).fill('hook beforeToolCall'),
    ]);
    expect([has('way.txt'), has('way2.txt'), turn.text.includes('kept\n')]).toEqual([false, false, false]);
  });
});

describe('a judge', () => {
  test.each(['default', 'acceptEdits', 'bypassPermissions'] as const)(
    'that cannot judge in %s lets nothing run',
    async (mode) => {
      breaks = 'judge';
      const { id } = await ungranted(mode);
      const turn = await converse(yard, id, 'every way');
      const refusals = turn.calls.map(({ text, audit }) => [
        text.includes('could not decide on it'),
        audit.filter(({ decision }) => decision === 'allow').length,
      ]);
      expect(refusals).toEqual(Array(3).fill([true, 0]));
      expect([has('way.txt'), has('way2.txt')]).toEqual([false, false]);
    },
  );

  test('that rejects inside the CLI’s hook blocks the call', async () => {
    const folder = makeFolder({ 'read.txt': 'CANARY' });
    const scenario = join(folder, 'scenario.yaml');
    writeFileSync(
      scenario,
      `rules:
  - when: { step: 0 }
    reply:
      - call: { tool: Bash, input: { command: touch ran.txt, description: x } }
      - call: { tool: Read, input: { file_path: ${join(folder, 'read.txt')} } }
  - reply: [{ text: "{{results}}" }]\n`,
    );
    const world = await openClaudeWorld(scenario);
    onTestFinished(world.close);
    const session = await world.engine.start({
      sessionId: 'ses_1',
      model: 'anthropic/claude-sonnet-5',
      instructions: '',
      cwd: folder,
      maxSteps: 5,
      tools: [],
      nativeTools: ['claude:Bash', 'claude:Read'],
    });
    const host = createRecordingHost();
    const outcome = await session.prompt(
      { kind: 'message', content: 'go' },
      { ...host, judge: () => Promise.reject(new Error('broken')) },
    );
    await session.close();
    expect([outcome.outcome, readdirSync(folder)]).toEqual(['completed', ['read.txt', 'scenario.yaml']]);
    // The CLI would have read without asking anybody.
    expect(JSON.stringify(host.events)).not.toContain('CANARY');
  });
});

test('tools that no agent has are not in the list, and a call of one does not run', async () => {
  const { id } = await newSession(yard, 'bypassPermissions');
  const before = yard.rehearsal.requests();
  const turn = await converse(yard, id, 'what is absent');
  // An agent inside would have asked the model for more.
  expect(yard.rehearsal.requests() - before).toBe(2);
  const init = turn.events.find(({ type }) => type === 'raw');
  const offered = JSON.stringify(init?.data);
  expect(absent.filter((name) => offered.includes(`"${name}"`))).toEqual([]);
  expect(offered).toContain('"Bash"');
  const listed = (await converse(yard, id, 'what have you got?')).text.split(/,\s*/);
  expect([listed.includes('Bash'), listed.filter((name) => absent.includes(name))]).toEqual([true, []]);
  const ran = turn.calls.filter(
    ({ isError, audit }) => !isError || audit.some(({ kind }) => kind === 'result'),
  );
  expect([turn.calls.length, ran]).toEqual([absent.length, []]);
  expect(has('absent.txt')).toBe(false);
  expect(readFileSync(join(yard.work, 'kept.txt'), 'utf8')).toBe('kept');
});
