// A few turns with the real service: a tool is called, a person is asked, a conversation goes on after a restart. Run by
// `npm run test:live` only. What a model says is its own; what the harness did is compared.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openYard, type Yard } from '../../src/app.ts';
import { quiet } from '../support/yard.ts';

const engines = (process.env.TOOLYARD_LIVE_ENGINES ?? '').split(',').filter(Boolean);
const model = process.env.TOOLYARD_LIVE_MODEL ?? '';
const patienceMs = 120_000;
const ping = 'mcp__toolyard__ping';

describe.each(engines)('%s, for real', (engine) => {
  let root: string;
  let yard: Yard;
  const open = () =>
    openYard({ home: join(root, 'home'), workspace: join(root, 'work'), env: process.env, logger: quiet });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'toolyard-live-'));
    yard = await openFresh(root, open);
  });
  afterAll(async () => {
    await yard.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Sends, allows what is asked about, and reads to the end of the turn. */
  async function converse(id: string, text: string): Promise<Event[]> {
    const client = yard.client();
    const { turnId, seq } = await client.sessions.send(id, text);
    const seen: Event[] = [];
    const signal = AbortSignal.timeout(patienceMs);
    for await (const event of client.sessions.events(id, { after: seq, signal })) {
      seen.push(event);
      if (event.type === 'approval_required')
        await client.approvals.answer(event.data.approval.id, { decision: 'allow' });
      if (event.type === 'turn_end' && event.data.turnId === turnId) return seen;
    }
    throw new Error(`the turn did not end: ${JSON.stringify(seen.map(({ type }) => type))}`);
  }

  const create = (mode: 'acceptEdits' | 'default') => yard.client().sessions.create({ engine, model, mode });

  it('calls a tool and hears its result', async () => {
    const { id } = await create('acceptEdits');
    const events = await converse(
      id,
      `Call the tool ${ping} exactly once. Then answer with its status in one word.`,
    );
    expect(outcomeOf(events)).toEqual({ outcome: 'completed' });
    expect(resultsOf(events)).toMatchObject([{ isError: false, output: { status: 'pong' } }]);
    expect(events.some(({ type }) => type === 'approval_required')).toBe(false);
    expect(events.some(({ type }) => type === 'usage')).toBe(true);
    expect(textOf(events)).toMatch(/pong/i);
  });

  it('asks first in default mode, once, and then calls', async () => {
    const { id } = await create('default');
    const events = await converse(
      id,
      `Call the tool ${ping} exactly once. Then answer with its status in one word.`,
    );
    expect(outcomeOf(events)).toEqual({ outcome: 'completed' });
    expect(events.filter(({ type }) => type === 'approval_required')).toHaveLength(1);
    expect(resultsOf(events)).toMatchObject([{ isError: false, output: { status: 'pong' } }]);
  });

  it('remembers after a restart', async () => {
    const { id } = await create('acceptEdits');
    await converse(id, 'Remember the word "lighthouse". Answer with: ok');
    await yard.close();
    yard = await open();
    const events = await converse(id, 'Which word did I ask you to remember? Answer with that word only.');
    expect(outcomeOf(events)).toEqual({ outcome: 'completed' });
    expect(textOf(events)).toMatch(/lighthouse/i);
  });
});

async function openFresh(root: string, open: () => Promise<Yard>): Promise<Yard> {
  await mkdir(join(root, 'work'));
  await mkdir(join(root, 'home'), { mode: 0o700 });
  await writeFile(join(root, 'home', 'config.yaml'), 'limits: { maxSteps: 5 }\nclaude: { spare: false }\n');
  return open();
}

function outcomeOf(events: readonly Event[]): unknown {
  const end = events.findLast((event) => event.type === 'turn_end');
  return { outcome: end?.data.outcome, ...(end?.data.error && { error: end.data.error }) };
}

function resultsOf(events: readonly Event[]): unknown[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.data] : []));
}

function textOf(events: readonly Event[]): string {
  return events.flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : [])).join('');
}
