// The real Claude Code against the shipped scenario: what a newcomer without a key sees with that engine.
import { createSdkMcpServer, type Options, tool } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { scenarioPaths } from '../../src/rehearsal/scenarios/load-scenario.ts';
import { openCli } from '../engines/claude/cli-session.ts';

const pong = JSON.stringify({ status: 'pong', timestamp: 'now', server: 'toolyard' });

function pingOptions(calls: string[], tools: string[]): Options {
  const ping = tool('ping', 'Answers.', {}, async () => {
    calls.push('ping');
    return { content: [{ type: 'text', text: pong }] };
  });
  return {
    tools,
    mcpServers: { toolyard: createSdkMcpServer({ name: 'toolyard', version: '1.0.0', tools: [ping] }) },
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
  };
}

interface Said {
  /** What the CLI says at the end of the turn. */
  result: string;
  messages: Record<string, unknown>[];
}

async function say(prompts: string[], options: Options = {}): Promise<Said[]> {
  await using cli = await openCli(scenarioPaths.default);
  const session = cli.start({ options });
  const said: Said[] = [];
  for (const prompt of prompts) {
    session.send(prompt);
    const messages = await session.turn();
    said.push({ messages, result: String(messages.at(-1)?.result) });
  }
  await session.close();
  return said;
}

describe('Claude Code and the rehearsal', () => {
  it.each([
    ['listed', ['Read']],
    ['found by search', ['Read', 'ToolSearch']],
  ])('complete a tool round trip with a tool that is %s', async (_, tools) => {
    const calls: string[] = [];
    const [said] = await say(['ping the server'], pingOptions(calls, tools));
    expect([said?.result, calls]).toEqual(['The server is there. It answered `pong` at now.', ['ping']]);
  });

  it('go on after the conversation was summarised', async () => {
    const [hello, compacted, thanks] = await say(['hello', '/compact', 'thanks']);
    expect([hello?.result.slice(0, 6), thanks?.result.slice(0, 16)]).toEqual(['Hello!', 'You are welcome.']);
    expect(JSON.stringify(compacted?.messages)).toContain('Nothing was left half done.');
  });

  it('go on after an image', async () => {
    await using cli = await openCli(scenarioPaths.default);
    const session = cli.start();
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    session.send([
      { type: 'text', text: 'thanks' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ]);
    expect(String((await session.turn()).at(-1)?.result).slice(0, 16)).toBe('You are welcome.');
    await session.close();
  });
});
