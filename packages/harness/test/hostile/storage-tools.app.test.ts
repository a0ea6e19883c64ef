// A disk that fails around a tool call: what cannot be written down first does not happen, and what happened without
// being written down is called unknown.
import { defineTool, defineToolkit } from '@toolyard/sdk';
import { createScriptedEngine, type ScriptedTurn } from '@toolyard/sdk/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { isEndOf, openTestYard, readUntil } from '../support/yard.ts';
import { createFaultyDisk } from './faulty-disk.ts';

describe('C7: when the disk fails around a tool call', () => {
  /** An agent that calls a tool with an effect, and a disk that fails ahead of the call or during it. */
  async function openWithTool(failing: 'ahead' | 'during') {
    const disk = createFaultyDisk();
    const runs: string[] = [];
    const act = defineTool({
      name: 'act',
      title: 'Act',
      description: 'Acts.',
      effect: 'write',
      tier: 'auto',
      input: z.strictObject({}),
      output: z.object({}),
      run: async (_, { toolCallId }) => {
        runs.push(toolCallId);
        if (failing === 'during') disk.fail();
        return {};
      },
    });
    const reply = ({ step }: ScriptedTurn) => {
      if (step > 0) return [{ text: 'Done.' }];
      if (failing === 'ahead') disk.fail();
      return [{ calls: [{ tool: 'mcp__suite__act', input: {} }] }];
    };
    const yard = await openTestYard({
      engine: createScriptedEngine({ reply }),
      toolkits: [defineToolkit({ name: 'acting', server: 'suite', tools: [act] })],
      wrapStore: disk.wrapStore,
    });
    const { id } = await yard.client().sessions.create();
    return { disk, yard, runs, id, client: yard.client() };
  }

  it('C7: a call that cannot be written down first does not run', async () => {
    const { disk, yard, client, id, runs } = await openWithTool('ahead');
    const { turnId } = await client.sessions.send(id, 'act');
    // The call, and then the end of the turn, which goes on trying.
    await vi.waitUntil(() => disk.failures() > 2, { timeout: 15_000, interval: 5 });
    disk.heal();
    const events = await readUntil(yard, id, isEndOf(turnId));
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'failed', error: { code: 'storage_failed' } });
    expect(runs).toEqual([]);
  });

  it('C7: a call whose result cannot be written down is shown as unknown and not run again by a retry', async () => {
    const { disk, yard, client, id, runs } = await openWithTool('during');
    const { turnId } = await client.sessions.send(id, 'act');
    // The call, and then the end of the turn, which goes on trying.
    await vi.waitUntil(() => disk.failures() > 2, { timeout: 15_000, interval: 5 });
    disk.heal();
    const events = await readUntil(yard, id, isEndOf(turnId));
    const result = events.find(({ type }) => type === 'tool_result');
    expect(result?.data).toMatchObject({ isError: true, outcome: 'unknown' });
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'failed', error: { code: 'storage_failed' } });
    const retried = await client.sessions.retry(id);
    const all = await readUntil(yard, id, isEndOf(retried.turnId));
    expect([all.at(-1)?.data, runs.length]).toMatchObject([{ outcome: 'completed' }, 1]);
  });
});
