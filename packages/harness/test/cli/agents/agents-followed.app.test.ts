// What `run` shows of agents under it: one calm line each, and their approvals and questions asked at the root.
import { type Agent, type Event, pause } from '@toolyard/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTurnView } from '../../../src/cli/run/turn-view.ts';
import { createTerminal, toWidth } from '../../../src/cli/terminal/terminal.ts';
import { type CommandYard, createPerson } from '../in-process.ts';
import { openAgentCommands } from './agent-stage.ts';

const agent: Agent = {
  id: 'agt_0000000000000000abcdef',
  role: 'developer',
  taskSlug: 'checkout',
  status: 'queued',
  sessionId: 'ses_0000000000000000000002',
  rootSessionId: 'ses_0000000000000000000001',
  depth: 1,
  runId: 'trn_0000000000000000000001',
  engine: 'native',
  model: 'any',
  prompt: 'Build\nthe form.',
  draftedAt: '2026-11-15T10:00:00.000Z',
  startedAt: '2026-11-15T10:00:00.000Z',
  costUsd: 0,
  budgetUsd: 5,
};

function show(...changes: Partial<Agent>[]): string[] {
  const lines: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => lines.push(text) };
  const view = createTurnView(createTerminal({ stdout: stream, stderr: stream }, { NO_COLOR: '1' }));
  for (const change of changes) {
    const data = { agent: { ...agent, ...change } };
    const event: Event = {
      type: 'agent_update',
      data,
      sessionId: agent.rootSessionId,
      seq: 1,
      at: agent.draftedAt,
    };
    view.show(event);
  }
  return lines.map((line) => line.trimEnd());
}

const result = { summary: 'It works.\nMore.', changes: [], issues: [], questions: [], reported: true };
const endedAt = '2026-11-15T10:00:02.000Z';

describe('the line of an agent', () => {
  it('is written when it is drafted, begins and ends, and not while it waits', () => {
    const waits = [{ status: 'waiting' }, { status: 'running' }] as const;
    expect(show({}, { status: 'running' }, ...waits, { status: 'done', result, endedAt })).toEqual([
      '◇ developer …abcdef drafted as agt_0000000000000000abcdef: Build the form.',
      '◇ developer …abcdef running',
      '✓ developer …abcdef done after 2.0 s: It works.',
    ]);
  });

  it('says why it did not end well, a level deeper for each that is above it', () => {
    const error = { code: 'killed', message: 'The agent was killed.' } as const;
    expect(show({ status: 'killed', depth: 3, error, result, endedAt })).toEqual([
      '    ✗ developer …abcdef killed after 2.0 s: The agent was killed.',
    ]);
  });

  it('fits the terminal, and nothing that an agent wrote drives it', () => {
    const evil = `\u001b[2J\u009b1A\r${'漢字'.repeat(200)}`;
    const lines = show({ prompt: evil }, { status: 'done', result: { ...result, summary: evil }, endedAt });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
    expect(lines.join('').match(/[\u0000-\u001f\u007f-\u009f]/g)).toBeNull();
    expect(lines.map((line) => toWidth(line) <= 80)).toEqual([true, true]);
  });
});

describe('run, with agents under it', () => {
  let commandYard: CommandYard;
  beforeAll(async () => {
    commandYard = await openAgentCommands();
  });
  beforeEach(() => {
    commandYard.paid.length = 0;
  });
  afterAll(() => commandYard.close());

  it('asks at the root what a grandchild asks, says who asks, and the answer resumes the right one', async () => {
    const { start, paid } = commandYard;
    const words = ['run', '--role', 'coordinator', 'plan lead pay bob'];
    const { code, stdout, stderr } = await start(words, { person: createPerson('a') }).finished;
    expect({ code, stdout, paid }).toEqual({ code: 0, stdout: 'ended: done\n', paid: ['bob'] });
    expect(stderr).toMatch(/asks +assistant ….{6}, depth 2 in “pay bob” ses_\w+\n/);
    expect(stderr).toMatch(/✓ mcp__suite__pay allowed \(once\) by person owner via terminal\n/);
    expect(stderr).toMatch(/\n {2}✓ assistant ….{6} done after .*: \{"paid":"bob"\}\n/);
    expect(stderr.match(/Allow mcp__suite__pay with this input/g)).toHaveLength(1);
  });

  it('prints the command to answer with where nobody can be asked', async () => {
    const { start, run, paid } = commandYard;
    const running = start(['run', '--role', 'coordinator', 'plan pay eve']);
    const [, , id = ''] = await running.until(
      /^mcp__suite__pay of agent (….{6}), depth 1 waits for your approval\. .*allow (apr_\w+)/m,
    );
    expect((await run('approvals', 'deny', id, '--reason', 'no')).code).toBe(0);
    const { code, stdout } = await running.finished;
    expect({ code, stdout, paid }).toEqual({ code: 3, stdout: 'ended: done\n', paid: [] });
  });

  it('stays while only an agent under it is parked, and goes on when that is answered', async () => {
    const own = await openAgentCommands(
      'toolApproval: { approvalTimeout: 100, unattended: park, perTool: { mcp__toolyard__draft_agent: auto } }\n',
    );
    try {
      const running = own.start(['run', '--role', 'coordinator', 'plan pay ann']);
      const [, id = ''] = await running.until(/allow (apr_\w+)/);
      while ((await own.yard.client().approvals.get(id)).expiresAt !== null) await pause(20);
      // As long again as it would have taken to notice.
      await pause(300);
      expect(running.stderr()).not.toContain('parked');
      await own.run('approvals', 'allow', id);
      expect(await running.finished).toMatchObject({ code: 0, stdout: 'ended: done\n' });
      expect(own.paid).toEqual(['ann']);
    } finally {
      await own.close();
    }
  });

  it('asks at the root whether a run may go on past its limit', async () => {
    const own = await openAgentCommands(
      'limits: { maxAgents: 1, onLimit: ask }\ntoolApproval: { perTool: { mcp__toolyard__draft_agent: auto } }\n',
    );
    try {
      const words = ['run', '--role', 'coordinator', 'plan lead say hello'];
      const { code, stdout, stderr } = await own.start(words, { person: createPerson('1') }).finished;
      expect([code, stdout]).toEqual([0, 'ended: done\n']);
      expect(stderr).toMatch(/1 {2}Continue with 1 more \(limits\.maxAgents\)\n/);
      expect(stderr).toMatch(/asks +assistant ….{6}, depth 1 in ses_\w+\n/);
      expect(stderr).toMatch(/\n {2}✓ assistant ….{6} done after .*: hello\n/);
    } finally {
      await own.close();
    }
  });
});
