import { type ToolContext, ToolError } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { sessionsToolkit } from '../../src/tools/sessions.ts';

const context: ToolContext = {
  sessionId: 'ses',
  turnId: 'trn',
  toolCallId: 'call',
  cwd: '/the/directory',
  signal: new AbortController().signal,
  progress() {},
};

async function count(countSessions: (cwd: string) => Promise<number>) {
  const none = () => Promise.reject(new Error('none'));
  const others = { listActiveSessions: none, getSession: none, search: none };
  return sessionsToolkit({ countSessions, ...others }).tools[0]?.run({}, context);
}

describe('get_session_count', () => {
  it("counts the sessions of the session's directory", async () => {
    const asked: string[] = [];
    const result = await count(async (cwd) => asked.push(cwd) + 2);
    expect({ result, asked }).toEqual({
      result: { count: 3, cwd: '/the/directory' },
      asked: ['/the/directory'],
    });
  });

  it('takes zero for an answer', async () => {
    expect(await count(async () => 0)).toEqual({ count: 0, cwd: '/the/directory' });
  });

  it('tells the model the code when the reader fails', async () => {
    const failing = count(() =>
      Promise.reject(Object.assign(new Error('no such directory'), { code: 'ENOENT' })),
    );
    await expect(failing).rejects.toThrow(
      new ToolError('Sessions could not be counted: ENOENT, no such directory.'),
    );
  });
});
