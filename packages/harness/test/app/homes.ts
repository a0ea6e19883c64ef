// Homes with something in them, and backups of them.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, defineToolkit, type Event } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { z } from 'zod';
import { openYard, type Yard, type YardOptions } from '../../src/app.ts';
import { writeBackup } from '../../src/store/backup/write-backup.ts';
import { writeFiles } from '../core/backup/archives.ts';
import { workBeside } from '../support/work.ts';
import { converse, quiet } from '../support/yard.ts';

const stamp = 'mcp__desk__stamp';

/** A tool that asks each time, and says how often it has run. */
export function createDesk() {
  const ran: string[] = [];
  const tool = defineTool({
    name: 'stamp',
    title: 'Stamp',
    description: 'Stamps a paper.',
    effect: 'write',
    tier: 'always',
    input: z.object({ paper: z.string() }),
    output: z.object({ stamped: z.string() }),
    run: async ({ paper }) => {
      ran.push(paper);
      return { stamped: paper };
    },
  });
  const engine = createScriptedEngine({
    reply: ({ text, step }) =>
      text.startsWith('stamp ') && step === 0
        ? [{ calls: [{ tool: stamp, input: { paper: text.slice(6) } }] }]
        : [{ text: text === 'long' ? 'x'.repeat(1_000) : `Heard: ${text}` }],
  });
  const toolkits = [defineToolkit({ name: 'desk', server: 'desk', tools: [tool] })];
  return { ran, options: { engine, toolkits } satisfies Partial<YardOptions> };
}

/** A home in which somebody said a word; closed. */
export async function makeHome(word: string, home: string): Promise<string> {
  const yard = await openYard({
    home,
    env: {},
    workspace: workBeside(home),
    logger: quiet,
    engine: createScriptedEngine(),
  });
  const { id } = await yard.client().sessions.create({ title: word });
  await converse(yard, id, word);
  await yard.close();
  await writeFiles(home, {
    'config.yaml': `limits: { maxSteps: ${word.length} }\n`,
    [`outputs/${id}/out_${'0'.repeat(24)}`]: word,
    [`roles/${word}.md`]: `---\nname: ${word}\ndescription: ${word}\ncategory: conversational\n---\n${word}\n`,
  });
  return home;
}

/** A backup of such a home. */
export async function makeBackup(word: string, folder: string): Promise<string> {
  const home = await makeHome(word, folder);
  const target = join(folder, 'backup.tar.gz');
  const createdAt = '2026-11-15T12:00:00.000Z';
  await writeBackup({ home, target, version: '1.2.3', createdAt }, new AbortController().signal);
  return target;
}

/** What a person would find in the yard. */
export async function lookAt(yard: Yard) {
  const client = yard.client();
  const { items } = await client.sessions.list();
  const [session] = items;
  const { items: roles } = await client.roles.list();
  return {
    titles: items.map(({ title }) => title),
    steps: yard.config.limits.maxSteps,
    output: session && (await client.outputs.read(`out_${'0'.repeat(24)}`)).text,
    roles: roles.filter(({ source }) => source === 'home').map(({ name }) => name),
    audit: (await client.audit.verify()).ok,
  };
}

export function toLook(word: string) {
  return { titles: [word], steps: word.length, output: word, roles: [word], audit: true };
}

/** Every file below a home with its bytes, but what a mere look at it changes. */
export async function readTree(home: string): Promise<Record<string, string>> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const kept = paths.filter((path) => !/(?:home\.lock|-shm|-wal)$/.test(path)).sort();
  return Object.fromEntries(
    await Promise.all(
      kept.map(async (path) => [
        path,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      ]),
    ),
  );
}

export function isApprovalAsked(event: Event): boolean {
  return event.type === 'approval_required';
}
