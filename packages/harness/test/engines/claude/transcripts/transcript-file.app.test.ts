import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMeter } from '../../../../src/engines/claude/transcripts/transcript-cost.ts';
import {
  findTranscript,
  readTranscriptFacts,
} from '../../../../src/engines/claude/transcripts/transcript-file.ts';
import { makeFolder } from '../../../support/workspace.ts';

test('F3, F8: a pipe or a link in the place of a transcript is none, and nobody waits for it', async () => {
  const line = `${JSON.stringify({ uuid: 'one' })}\n`;
  const config = makeFolder({ 'projects/folder/real.jsonl': line, 'other.jsonl': line });
  const at = (name: string) => join(config, 'projects/folder', name);
  execFileSync('mkfifo', [at('pipe.jsonl')]);
  symlinkSync(join(config, 'other.jsonl'), at('link.jsonl'));
  const tokens = ['real', 'pipe', 'link', 'missing'];
  expect(await Promise.all(tokens.map((token) => findTranscript(config, token)))).toEqual([
    at('real.jsonl'),
    undefined,
    undefined,
    undefined,
  ]);
  // It may be swapped after it was found.
  for (const name of ['pipe.jsonl', 'link.jsonl']) {
    await expect(readTranscriptFacts(at(name))).rejects.toMatchObject({ code: 'ENOTREGULAR' });
    await expect(createMeter().begin(at(name), 'one')).rejects.toMatchObject({ code: 'ENOTREGULAR' });
  }
  expect((await readTranscriptFacts(at('real.jsonl'))).uuids).toEqual(new Set(['one']));
});
