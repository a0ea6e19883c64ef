// Writes transcripts as `claude` leaves them: a short conversation each, over several directories, a minute apart.
import { randomUUID } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WrittenTranscript {
  token: string;
  path: string;
}

/** The newest first. */
export function fillTranscripts(
  configFolder: string,
  { count, folders }: { count: number; folders: number },
): WrittenTranscript[] {
  const newest = Date.now() - 60_000;
  return Array.from({ length: count }, (_, index) => {
    const cwd = `/work/project-${index % folders}`;
    const folder = join(configFolder, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    const token = randomUUID();
    const path = join(folder, `${token}.jsonl`);
    const time = newest - index * 60_000;
    writeFileSync(path, toConversation(token, cwd, `What about ${index}?`, time));
    utimesSync(path, time / 1_000, time / 1_000);
    return { token, path };
  });
}

function toConversation(sessionId: string, cwd: string, words: string, time: number): string {
  const timestamp = new Date(time).toISOString();
  const common = { isSidechain: false, userType: 'external', cwd, sessionId, version: '2.1.325', timestamp };
  const prompt = { parentUuid: null, ...common, type: 'user', uuid: randomUUID() };
  const answer = { parentUuid: prompt.uuid, ...common, type: 'assistant', uuid: randomUUID() };
  const text = 'Forty characters are one piece of this. '.repeat(100);
  const lines = [
    { type: 'queue-operation', operation: 'enqueue', timestamp, sessionId },
    { ...prompt, message: { role: 'user', content: words } },
    {
      ...answer,
      message: {
        id: `msg_${sessionId}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-5',
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 10 },
      },
    },
    { type: 'last-prompt', lastPrompt: words, sessionId },
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}
