import { describe, expect, test } from 'vitest';
import { findHandlerCalls } from '../layers/find-handler-calls.ts';

describe('nothing but the toolbox runs a host tool', () => {
  test.each([
    'const x = await tool.run(input, context);',
    'return registered.tool.run(input, ctx)',
    'void tools[0]?.run(input, context);',
  ])('a planted way past the toolbox is found: %s', (text) => {
    const path = 'packages/harness/src/http/resources/tools.ts';
    expect(findHandlerCalls([{ path, text: `\n${text}` }])).toEqual([{ path, line: 2 }]);
  });

  test('the toolbox’s own hands, statements and tests are left alone', () => {
    const files = [
      { path: 'packages/harness/src/core/calls/tool-run.ts', text: 'tool.run(input, context)' },
      { path: 'packages/harness/src/store/sqlite/sqlite.ts', text: 'statement.run(...values)' },
      { path: 'packages/harness/test/tools/server.test.ts', text: 'tool.run({}, context)' },
    ];
    expect(findHandlerCalls(files)).toEqual([]);
  });
});
