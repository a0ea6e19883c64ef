import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../src/core/operator-log/redact.ts';
import { converse, openTestYard } from '../support/yard.ts';

const pinger = createScriptedEngine({
  reply: ({ outcomes }) =>
    outcomes.length > 0 ? [{ text: 'ok' }] : [{ calls: [{ tool: 'mcp__toolyard__ping', input: {} }] }],
});

/** A stopped home with evidence in it. */
async function createEvidence() {
  const yard = await openTestYard({ engine: pinger });
  const { id } = await yard.client().sessions.create({ mode: 'bypassPermissions' });
  for (let round = 0; round < 5; round++) await converse(yard, id, 'ping');
  expect(await yard.client().audit.verify()).toEqual({ ok: true, rows: 10 });
  await yard.close();
  return yard.home;
}

async function verifyAfter(home: string, tamper: string) {
  const database = new DatabaseSync(join(home, 'toolyard.db'));
  database.exec(tamper);
  database.close();
  const yard = await openTestYard({ home, engine: pinger });
  return yard.client().audit.verify();
}

describe('C6: evidence that was touched', () => {
  it.each([
    ['edited', "UPDATE audit SET body = replace(body, 'ping', 'pong') WHERE seq = 4", 4],
    ['deleted from the middle', 'DELETE FROM audit WHERE seq = 4', 4],
    ['cut off at the end', 'DELETE FROM audit WHERE seq > 8', 9],
    ['cut off whole', 'DELETE FROM audit', 1],
    ['renumbered', 'UPDATE audit SET seq = 99 WHERE seq = 10', 10],
    ['given another hash', "UPDATE audit SET hash = 'x' WHERE seq = 2", 2],
    [
      'written in between',
      'INSERT INTO audit SELECT 11, body, previous_hash, hash FROM audit WHERE seq = 10',
      10,
    ],
  ])('is found out when it was %s', async (_, tamper, brokenAt) => {
    const verdict = await verifyAfter(await createEvidence(), tamper);
    expect(verdict.ok).toBe(false);
    expect(verdict.brokenAt).toBeLessThanOrEqual(brokenAt + 1);
    expect(verdict.brokenAt).toBeGreaterThanOrEqual(brokenAt - 1);
  });

  it('is whole when nobody touched it', async () => {
    expect(await verifyAfter(await createEvidence(), 'SELECT 1')).toEqual({ ok: true, rows: 10 });
  });
});

describe('redaction', () => {
  const redact = createRedact({ MY_API_KEY: 'canary-0123456789', HOME: '/home/x' }, ['tyd_owner-token']);

  it('takes out values by the name of their key, at any depth', () => {
    const input = {
      password: 'a',
      nested: [{ apiKey: 'b', Authorization: 'c', safe: 'd', token: 7 }],
      secret: null,
    };
    expect(redact(input)).toEqual({
      password: '[redacted]',
      nested: [{ apiKey: '[redacted]', Authorization: '[redacted]', safe: 'd', token: '[redacted]' }],
      secret: null,
    });
  });

  it('takes out secrets it knows wherever they stand', () => {
    expect(
      redact({ command: 'curl -H canary-0123456789 x', 'a tyd_owner-token': 1, list: ['tyd_owner-token!'] }),
    ).toEqual({
      command: 'curl -H [redacted] x',
      'a [redacted]': '[redacted]',
      list: ['[redacted]!'],
    });
  });

  it('keeps the owner’s token out of the database', async () => {
    const leak = createScriptedEngine({
      reply: ({ outcomes, text }) =>
        outcomes.length > 0
          ? [{ text: 'ok' }]
          : [{ calls: [{ tool: 'mcp__toolyard__search_sessions', input: { query: text } }] }],
    });
    const yard = await openTestYard({ engine: leak });
    const { id } = await yard.client().sessions.create({ mode: 'bypassPermissions', title: 'x' });
    await converse(yard, id, yard.token);
    const { items } = await yard.client().audit.list();
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toContain(yard.token);
    await writeFile(join(yard.home, 'checked'), await readFile(join(yard.home, 'token')));
  });
});
