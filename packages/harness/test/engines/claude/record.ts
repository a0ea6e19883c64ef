// Refreshes what the tests of the Claude engine hold against: run it after a new version of the SDK, and read the diff.
//   node --conditions=toolyard-source packages/harness/test/engines/claude/record.ts [--wire] [name …]
import { writeFileSync } from 'node:fs';
import { openCli } from './cli-session.ts';
import { createNormalizer } from './normalize.ts';
import { type RecordedSession, recordedSessions } from './recorded-sessions.ts';
import { recordWire, writeWire } from './wire-session.ts';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const wireOnly = process.argv.includes('--wire');

for (const session of recordedSessions) {
  if (wireOnly || (names.length > 0 && !names.includes(session.name))) continue;
  const messages = await record(session);
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
  writeFileSync(new URL(`./recordings/${session.name}.jsonl`, import.meta.url), lines.join(''));
  process.stdout.write(`${session.name}: ${lines.length} messages\n`);
}
if (wireOnly || names.length === 0) {
  for (const file of writeWire(await recordWire())) process.stdout.write(`${file}\n`);
}

/** All messages of one session, normalized. */
async function record({
  prompts,
  cli: options = {},
  before,
  onMessage,
}: RecordedSession): Promise<unknown[]> {
  await using cli = await openCli();
  const normalize = createNormalizer(cli.folders);
  const resume = before === undefined ? undefined : await tell(cli, before);
  const session = cli.start({
    ...options,
    ...(resume && { options: { ...options.options, resume } }),
  });
  const recorded: unknown[] = [];
  for (const prompt of prompts) {
    session.send(prompt);
    await session.turn((message) => {
      recorded.push(normalize(message));
      onMessage?.(session, message);
    });
  }
  await session.close();
  return recorded;
}

/** A session of its own, whose id is returned. */
async function tell(cli: Awaited<ReturnType<typeof openCli>>, prompt: string): Promise<string> {
  const session = cli.start();
  session.send(prompt);
  const messages = await session.turn();
  await session.close();
  return String(messages.at(-1)?.session_id);
}
