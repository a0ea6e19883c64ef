// Every tool × every mode with the real CLI: what was decided and by which rule, and whether the call really ran.

import { PermissionMode } from '@toolyard/sdk';
import { describe, expect, test } from 'vitest';
import { nativeTools } from '../../src/engines/claude/tools/native-tools.ts';
import { writeFiles } from '../support/workspace.ts';
import { type Case, cases, type Expected } from './cases.ts';
import { type Call, converse, newSession, openClaudeYard, type Places, type Seen } from './claude-yard.ts';
import { suiteToolkit } from './suite-toolkit.ts';

/** One call of the matrix. Where a person is asked, one call is allowed and another one denied. */
interface Cell {
  case: Case;
  expected: Expected;
  tag: string;
  answer: 'allow' | 'deny';
}

const modes = PermissionMode.options;

function cellsOf(mode: PermissionMode): Cell[] {
  return cases.flatMap((each) => {
    const expected = each.modes[mode];
    const answers = expected.verdict === 'asks' ? (['deny', 'allow'] as const) : (['allow'] as const);
    return answers.map((answer) => ({ case: each, expected, answer, tag: `${mode}${answer}` }));
  });
}

/** What a model calls a tool of the CLI. */
const toCall = ({ case: { tool, input }, tag }: Cell, places: Places): Call => ({
  tool: tool.replace('claude:', ''),
  input: input(tag, places),
});

/** First what must come first; then all at once. */
function roundsOf(mode: PermissionMode, places: Places): Call[][] {
  const cells = cellsOf(mode);
  const before = cells.flatMap(({ case: { first }, tag }) => first?.(tag, places) ?? []);
  return [before, cells.map((cell) => toCall(cell, places))];
}

const yard = await openClaudeYard({
  script: (places) => Object.fromEntries(modes.map((mode) => [`all in ${mode}`, roundsOf(mode, places)])),
  toolkits: [suiteToolkit()],
});
const session = await newSession(yard);

/** The cell as it should look, and as it does, in the same words. */
interface Report {
  asked: boolean;
  ran: boolean;
  /** What the evidence says, in order. */
  evidence: string[];
  rule: string | undefined;
}

function toExpected({ expected: { verdict, rule }, answer }: Cell): Report {
  const goes = verdict === 'runs' || (verdict === 'asks' && answer === 'allow');
  return {
    asked: verdict === 'asks',
    ran: goes,
    evidence: goes ? ['decision allow', 'result'] : ['decision deny'],
    rule,
  };
}

function toReport({ case: { ran }, tag }: Cell, { text, audit, approval }: Seen): Report {
  return {
    asked: approval !== undefined,
    ran: ran(tag, text, yard),
    evidence: audit.map(({ kind, decision }) => (kind === 'decision' ? `decision ${decision}` : kind)),
    rule: audit[0]?.rule,
  };
}

describe.each(modes)('in mode %s', (mode) => {
  test('P14: every tool is judged, what is allowed runs once, and nothing else runs', async () => {
    const cells = cellsOf(mode);
    for (const {
      case: { files },
      tag,
    } of cells)
      writeFiles(yard.work, files?.(tag) ?? {});
    await yard.client.sessions.change(session.id, { mode });
    const early: string[] = [];
    const open = [...cells];
    const turn = await converse(yard, session.id, `all in ${mode}`, {
      approve: ({ tool, input, rule }) => {
        const cell = open.find((each) => isCall(each, tool, input));
        if (cell) open.splice(open.indexOf(cell), 1);
        if (cell?.case.ran(cell.tag, '', yard)) early.push(`${tool}: ${rule}`);
        return { decision: cell?.answer ?? 'deny' };
      },
      answer: ({ options = [] }) =>
        options.find(({ label }) => label === 'Keep planning')?.label ?? options[0]?.label,
    });
    const made = turn.calls.slice(-cells.length);
    const nameOf = ({ case: { tool }, answer }: Cell) => `${tool} (${answer})`;
    const seen = cells.map((cell, at) => [nameOf(cell), made[at] && toReport(cell, made[at])]);
    const expected = cells.map((cell) => [nameOf(cell), toExpected(cell)]);
    expect({ early, outcome: turn.outcome, ...Object.fromEntries(seen) }).toEqual({
      early: [],
      outcome: 'completed',
      ...Object.fromEntries(expected),
    });
  });
});

function isCall(cell: Cell, tool: string, input: unknown): boolean {
  return cell.case.tool === tool && isWithin(cell.case.input(cell.tag, yard), input);
}

/** The CLI fills defaults in. */
function isWithin(sent: Call['input'], judged: unknown): boolean {
  const seen = Object(judged);
  return Object.entries(sent).every(([key, value]) => JSON.stringify(seen[key]) === JSON.stringify(value));
}

test('the matrix has every tool that an agent can have', () => {
  const listed = new Set(cases.map(({ tool }) => tool));
  expect(nativeTools.map(({ name }) => name).filter((name) => !listed.has(name))).toEqual([]);
});

test('P14: the evidence of all of them is one unbroken chain', async () => {
  const { ok, rows } = await yard.client.audit.verify();
  expect([ok, rows > 100]).toEqual([true, true]);
});
