import type { EngineSession, ModelPrice } from '@toolyard/sdk';
import { createJournal, createRecordingHost, type Journal } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { createPriceList } from '../../../src/core/models/price-list.ts';
import { toCost } from '../../../src/core/models/prices.ts';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import { rounds } from '../../support/soak.ts';
import { accessTo, spec } from './native-turn.ts';
import { type Meter, serveMeter } from './wires/anthropic-meter.ts';

// Fewer turns against a window that is smaller by as much are summed up as often.
const turns = rounds({ short: 400, full: 2_000 });
const window = 100 * turns;
const maxOutput = 32 * turns;
const filler = 'so it goes '.repeat(22);

/** A model that remembers what it reads, and sums up what matters. */
const answer = (last: string, text: () => string) => {
  const secret = () => /the secret word is (\w+)/.exec(text())?.[1] ?? 'unknown';
  if (last.includes('Write a summary')) return `The person said: the secret word is ${secret()}. ${filler}`;
  return last.startsWith('what is the secret') ? `It is ${secret()}.` : `Noted. ${filler}`;
};

function open(meter: Meter, journal: Journal): Promise<EngineSession> {
  const { entries } = journal.resume();
  const access = accessTo({ baseUrl: meter.url, window, maxOutput, model: 'claude-haiku-4-5' });
  return createNativeEngine({ access }).start({ ...spec, resume: { entries } });
}

const haiku = createPriceList({ now: () => Date.now() }).find('anthropic', 'claude-haiku-4-5')?.price;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

describe('a conversation of many turns against a window that holds few of them', { timeout: 120_000 }, () => {
  it('works on through its compactions, remembers, and costs the same per turn throughout', async () => {
    await using meter = await serveMeter({ window, answer });
    const journal = createJournal();
    const costs: number[] = [];
    const notes: unknown[] = [];
    let session = await open(meter, journal);
    const say = async (content: string) => {
      const host = createRecordingHost({ journal });
      expect(await session.prompt({ kind: 'message', content }, host)).toEqual({ outcome: 'completed' });
      const usages = host.events.flatMap((event) => (event.type === 'usage' ? [event.data] : []));
      costs.push(usages.reduce((sum, usage) => sum + (toCost(haiku as ModelPrice, usage) ?? Number.NaN), 0));
      notes.push(...host.events.filter(({ type }) => type === 'raw'));
      return host.events.flatMap((event) => (event.type === 'text_delta' ? [event.data.text] : [])).join('');
    };

    await say('the secret word is heliotrope');
    for (let turn = 1; turn < turns; turn += 1) {
      await say(`turn ${turn}: ${filler}`);
      if (turn === turns / 2) session = await open(meter, journal);
    }

    expect(await say('what is the secret word?')).toBe('It is heliotrope.');
    expect(meter.refusals).toEqual([]);
    expect(notes.length).toBeGreaterThan(3);
    // The log and the store hold every word: what was summarised is only left out of what is sent.
    expect(journal.checkpoints.length).toBe(2 * (turns + 1) + notes.length);
    // Read at the price of a cache, but for what is new: the rest of the bill is what each turn adds.
    const [first, second] = [
      mean(costs.slice(turns / 4, turns / 2)),
      mean(costs.slice((3 * turns) / 4, turns)),
    ];
    expect(second / first).toBeGreaterThan(0.8);
    expect(second / first).toBeLessThan(1.25);
    const total = (key: 'read' | 'input' | 'written') =>
      meter.metered.reduce((sum, each) => sum + each[key], 0);
    expect(total('read') / (total('read') + total('input') + total('written'))).toBeGreaterThan(0.95);
    const used = await session.contextUsage?.();
    expect(used).toMatchObject({ windowTokens: window });
    expect(used?.usedTokens).toBeLessThan(window * 0.8);
  });
});
