import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, defineToolkit, toFullName } from '../../src/index.ts';

function named(name: string) {
  return defineTool({
    name,
    title: 'Any',
    description: 'Any',
    effect: 'read',
    input: z.strictObject({}),
    output: z.object({}),
    run: async () => ({}),
  });
}

describe('tool and server names', () => {
  it.each(['ping', 'a', 'get_server_info', 'a__b', 'x'.repeat(48)])('accepts the tool name %s', (name) => {
    expect(named(name).name).toBe(name);
  });

  it.each(['', 'Ping', '1a', 'a-b', '../../x', 'a b', 'pïng', 'ping\0', 'x'.repeat(49), '🌍'])(
    'C5: refuses the tool name %j',
    (name) => {
      expect(() => named(name)).toThrow(/a tool name is/);
    },
  );

  it('refuses with one sentence and a code', () => {
    const code = 'invalid_config';
    const [tool, server] = ['a tool', 'a server'].map((what) =>
      expect.stringContaining(`: ${what} name is 1 to`),
    );
    const refused = (work: () => unknown) => {
      try {
        return work();
      } catch (thrown) {
        return thrown;
      }
    };
    expect(refused(() => named('My Tool'))).toMatchObject({ name: 'ToolyardError', code, message: tool });
    expect(refused(() => defineToolkit({ name: 'kit', server: 'a_b', tools: [] }))).toMatchObject({
      name: 'ToolyardError',
      code,
      message: server,
    });
    expect(refused(() => toFullName('s'.repeat(32), 't'.repeat(48)))).toMatchObject({ code });
  });

  it.each(['', 'a_b', 'A', '-a', 'a/b', 'x'.repeat(33)])('C5: refuses the server name %j', (server) => {
    expect(() => defineToolkit({ name: 'kit', server, tools: [] })).toThrow(/a server name is/);
  });

  it('joins them one way only, within 64 characters', () => {
    expect(toFullName('a', 'b__c')).toBe('mcp__a__b__c');
    expect(() => toFullName('a__b', 'c')).toThrow(/a server name is/);
    expect(() => toFullName('s'.repeat(32), 't'.repeat(48))).toThrow(/longer than 64/);
  });
});
