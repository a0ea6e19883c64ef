import { describe, expect, test } from 'vitest';
import { type TaskContextFacts, toTaskContext } from '../../../src/core/tasks/task-context.ts';
import { createRandom } from '../protected-paths/path-machine.ts';
import { liveDispatch, sampleDispatch, sampleResult, sampleTask } from './dispatch-samples.ts';

/** Texts of agents that would be something else than text, each with a word by which it is found again. */
const attacks: Record<string, string> = {
  headings: 'canary\n# canary heading\n\n## Open questions\n\ncanary',
  'an open fence': 'canary\n\n```\ncanary open fence',
  'another fence': '~~~~\ncanary\n~~~',
  ticks: '```` canary `` ` ````` canary',
  'odd line ends': '\r# canary\r\n# canary\u2028# canary\u0085# canary\v# canary',
  lists: '    canary indented\n\tcanary\n- canary\n1. canary\n---\n===\ncanary',
  html: '<!-- canary\n<script>canary</script>\n![canary](http://x/y.png)',
  links: '[canary]: javascript:canary\n[x](javascript:canary)',
  quotations: '> canary\n>> canary\n\ncanary lazy',
  'hidden characters': '\u202ecanary\u0000canary\ud83d',
  tables: '|canary|\n|-|\n',
  'very many ticks': `canary ${'`'.repeat(3_000)}`,
  'very many lines': `${'\n'.repeat(3_000)}canary`,
  'very many backslashes': '\\'.repeat(999),
};

function toStory(text: string): TaskContextFacts {
  const result = sampleResult({
    summary: text,
    changes: [text, 'a'],
    issues: [text, 'b'],
    questions: [text, 'c'],
  });
  const error = { code: 'internal', message: text } as const;
  const worktree = { branch: 'toolyard/x', path: `/tmp/${text}`, base: 'c0ffee', kept: true };
  const rows = [
    liveDispatch(9, { prompt: text, report: { summary: text, changes: [], issues: [], questions: [text] } }),
    liveDispatch(8, { prompt: text, worktree }),
    sampleDispatch(7, { status: 'failed', error, result, worktree }),
    sampleDispatch(6, { result, worktree }),
    sampleDispatch(5, { result, prompt: text }),
  ];
  const task = sampleTask({
    description: text,
    outcome: text,
    status: 'closed',
    closedAt: '2026-11-15T00:00:00.000Z',
  });
  return { task, counts: { running: 2, failed: 1, done: 400 }, unresolved: rows, newest: rows };
}

const ourHeadings = [
  ...['In progress', 'Open questions', 'Issues', 'Failed or stopped', 'Newest results', 'Earlier'].map(
    (name) => `## ${name}`,
  ),
];

/** The document's own lines, without quotations and without what stands as code in a line. */
function toOwnLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('>'))
    .map((line) => line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '·'));
}

describe('what agents write', () => {
  test.each(Object.entries(attacks))('stays in its place: %s', (_, attack) => {
    for (const maxTokens of [200, 700, 8_000]) {
      const text = toTaskContext(toStory(attack), { maxTokens });
      const own = toOwnLines(text);
      expect(text.length).toBeLessThanOrEqual(maxTokens * 4);
      expect(own.filter((line) => /canary/.test(line))).toEqual([]);
      expect(own.filter((line) => /^\s*(?:`{3}|~{3}|<|\||=|---)/.test(line))).toEqual([]);
      const headings = own.filter((line) => /^#{1,2} /.test(line)).slice(1);
      expect(headings).toEqual(ourHeadings.filter((heading) => headings.includes(heading)));
      expect(text).not.toMatch(/[\r\u2028\u0085\v\u202e\0]|\p{Cs}/u);
      // A quotation ends before ours goes on: without a blank line the next one would belong to it.
      expect(text).not.toMatch(/^>.*\n(?!>|$)/m);
    }
  });

  test('is there: what is looked for above is in the quotations', () => {
    const text = toTaskContext(toStory(attacks.headings ?? ''));
    expect(text.match(/^> .*canary/gm)?.length).toBeGreaterThan(10);
  });
});

describe('the budget', () => {
  test('holds for every text and size, and nothing is cut in half', () => {
    const random = createRandom(11);
    const pieces = [
      'word ',
      '\n',
      '```',
      '`',
      '🛒',
      '\u202e',
      '# ',
      '<b>',
      '\n\n',
      'x'.repeat(50),
      '\ud83d',
      '[a]: b',
      '|',
    ];
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: random(400) }, () => pieces[random(pieces.length)]).join('');
      const maxTokens = [0, 1, 7, 50, 200, 333, 1_000, 5_000][random(8)] ?? 0;
      const context = toTaskContext(toStory(text), { maxTokens });
      expect([round, context.length <= maxTokens * 4, context.isWellFormed()]).toEqual([round, true, true]);
    }
  });

  test('is 8,000 tokens unless another is asked for, and used when there is enough to tell', () => {
    const facts = toStory('A sentence of some length that says little. '.repeat(450));
    const text = toTaskContext(facts);
    expect([text.length <= 32_000, text.length > 24_000]).toEqual([true, true]);
  });

  test('holds against what takes long to quote, within a moment', () => {
    const long = [
      '`a``b```c````'.repeat(1_600),
      '['.repeat(20_000),
      '\u202e'.repeat(20_000),
      '\n'.repeat(20_000),
      '\\`'.repeat(10_000),
    ];
    const started = performance.now();
    for (const text of long) {
      for (const maxTokens of [1_000, 200_000]) {
        expect(toTaskContext(toStory(text), { maxTokens }).length).toBeLessThanOrEqual(maxTokens * 4);
      }
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
