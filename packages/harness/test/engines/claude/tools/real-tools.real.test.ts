// The table of built-in tools beside the real CLI: which it has, and what its search finds when ours has narrowed it.
import { mkdirSync } from 'node:fs';
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { absentTools, toCurrentName } from '../../../../src/engines/claude/tools/absent-tools.ts';
import { nativeTools } from '../../../../src/engines/claude/tools/native-tools.ts';
import { excludeSecrets, toDenyRules } from '../../../../src/engines/claude/tools/search-scope.ts';
import { Scenario } from '../../../../src/rehearsal/scenarios/scenario.ts';
import { serveRehearsal } from '../../../../src/rehearsal/serve.ts';
import { makeFolder, writeFiles } from '../../../support/workspace.ts';

interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** Lets the CLI make these calls at once, each allowed. Returns its tools and the results in the order of the calls. */
async function runCli(calls: readonly Call[], { cwd, ...options }: Options & { cwd: string }) {
  const scenario = Scenario.parse({
    description: 'calls what the test wants',
    rules: [
      { when: { step: { min: 1 } }, reply: [{ text: 'done' }] },
      { reply: calls.length > 0 ? calls.map((call) => ({ call })) : [{ text: 'nothing to do' }] },
    ],
  });
  const rehearsal = await serveRehearsal({ scenarios: [scenario] });
  onTestFinished(() => rehearsal.close());
  const env = {
    PATH: process.env.PATH,
    HOME: makeFolder(),
    ANTHROPIC_BASE_URL: rehearsal.url,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const isolated = { cwd, env, settingSources: [], strictMcpConfig: true } satisfies Options;
  const allow: Options['canUseTool'] = async (_, updatedInput) => ({ behavior: 'allow', updatedInput });
  let tools: string[] = [];
  const order: string[] = [];
  const results = new Map<string, string>();
  for await (const message of query({
    prompt: 'go',
    options: { canUseTool: allow, ...isolated, ...options },
  })) {
    if (message.type === 'system' && message.subtype === 'init') tools = message.tools;
    if (message.type !== 'assistant' && message.type !== 'user') continue;
    const { content } = message.message;
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type === 'tool_use') order.push(block.id);
      if (block.type === 'tool_result') results.set(block.tool_use_id, JSON.stringify(block.content));
    }
  }
  return { tools, results: order.map((id) => results.get(id) ?? '') };
}

const offered = nativeTools.map(({ name }) => name.replace('claude:', ''));

describe('the tools of the installed CLI', () => {
  test('that it offers by itself are all known here', async () => {
    const { tools } = await runCli([], {
      cwd: makeFolder(),
      tools: { type: 'preset', preset: 'claude_code' },
    });
    const unknown = tools
      .map(toCurrentName)
      .filter((name) => !offered.includes(name) && !absentTools.has(name));
    expect([tools.length > 15, unknown]).toEqual([true, []]);
  });

  test('that we offer are there when asked for by name, and no other', async () => {
    const { tools } = await runCli([], { cwd: makeFolder(), tools: [...offered, 'NoSuchTool'] });
    // Not on this platform, without a plugin, instead of its newer form, or only a name to judge by.
    const elsewhere = ['LSP', 'PowerShell', 'TodoWrite', 'PlanFile'];
    expect(tools.toSorted()).toEqual(offered.filter((name) => !elsewhere.includes(name)).toSorted());
  });
});

describe('the search of the installed CLI', () => {
  const grep = (input: Record<string, unknown>): Call => ({
    tool: 'Grep',
    input: Object(excludeSecrets('Grep', { pattern: 'CANARY', output_mode: 'content', ...input })),
  });

  test('finds what it is for, passes likely secrets by in every case, and reads one that was named', async () => {
    const files = ['a.ts', 'sub/b.md', '.env', '.ENV.local', 'sub/.env.production', 'key.pem', 'K.PEM'];
    const inFolders = [
      '.ssh/config',
      'sub/.AWS/credentials',
      '.config/gh/hosts.yml',
      '.docker/config.json',
      '.npmrc',
    ];
    const all = [...files, ...inFolders];
    const cwd = makeFolder(Object.fromEntries(all.map((path) => [path, `CANARY ${path}\n`])));
    const { results } = await runCli(
      [
        grep({}),
        grep({ glob: '*.ts' }),
        grep({ glob: '**/*' }),
        grep({ path: '.env' }),
        grep({ glob: '*.pem' }),
      ],
      { cwd, tools: ['Grep'] },
    );
    const found = results.map((text) =>
      all.filter((path) => text.includes(`CANARY ${path}\\n`) || text.includes(`CANARY ${path}"`)),
    );
    expect(found).toEqual([['a.ts', 'sub/b.md'], ['a.ts'], ['a.ts', 'sub/b.md'], ['.env'], ['key.pem']]);
  });

  test('F10: finds nothing in a folder that is denied, nor does any other tool', async () => {
    const cwd = makeFolder({ 'a.ts': 'CANARY a.ts\n' });
    const yard = `${cwd}/the (yard) [1]`;
    mkdirSync(yard);
    writeFiles(yard, { token: 'CANARY token\n' });
    const settings = { permissions: { deny: toDenyRules([yard]) } };
    const { results } = await runCli(
      [
        grep({}),
        grep({ path: yard }),
        { tool: 'Glob', input: { pattern: '**/*' } },
        { tool: 'Read', input: { file_path: `${yard}/token` } },
        { tool: 'Write', input: { file_path: `${yard}/new`, content: 'x' } },
      ],
      { cwd, settings, tools: ['Grep', 'Glob', 'Read', 'Write'] },
    );
    expect(
      results.map((text) => [text.includes('CANARY token'), text.includes('a.ts'), text.includes('denied')]),
    ).toEqual([
      [false, true, false],
      [false, false, true],
      [false, true, false],
      [false, false, true],
      [false, false, true],
    ]);
  });
});
