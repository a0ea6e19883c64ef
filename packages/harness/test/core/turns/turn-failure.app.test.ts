// Why a turn failed is in a provider's own words, and these may quote a key. And what cannot be stored of a turn keeps it
// from ending no longer than it must.
import { join } from 'node:path';
import { pause } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, it } from 'vitest';
import { openRaw } from '../../store/support.ts';
import { converse, isEndOf, logOf, openTestYard, readUntil } from '../../support/yard.ts';

it('the reason of a failed turn is told without a key that it quotes, whatever the key looks like', async () => {
  const key = 'just some words of mine';
  const message = `The provider refused the key (401: "${key}" is not known).`;
  const fail = { code: 'provider_auth', message, data: { said: [key], status: 401 } } as const;
  const yard = await openTestYard({
    engine: createScriptedEngine({ reply: () => [{ fail }] }),
    env: { OPENAI_API_KEY: key },
  });
  const { id } = await yard.client().sessions.create();
  const events = await converse(yard, id, 'hi');
  const shown = {
    code: 'provider_auth',
    message: 'The provider refused the key (401: "[redacted]" is not known).',
    data: { said: ['[redacted]'], status: 401 },
  };
  expect(events.flatMap(({ type, data }) => (type === 'error' ? [data] : []))).toEqual([shown]);
  expect(events.at(-1)).toMatchObject({ type: 'turn_end', data: { error: shown } });
});

it('a turn whose account is never taken ends without it', async () => {
  const yard = await openTestYard();
  const { id } = await yard.client().sessions.create();
  refuseFor(yard.home, 'BEFORE INSERT ON usage');
  const { turnId } = await yard.client().sessions.send(id, 'hi');
  const ended = (await readUntil(yard, id, isEndOf(turnId))).at(-1);
  expect(ended?.data).toEqual({ turnId, outcome: 'completed', costUsd: null });
  expect((await yard.client().sessions.get(id)).costUsd).toBeNull();
  expect((await converse(yard, id, 'again')).at(-1)?.data).toMatchObject({ outcome: 'completed' });
});

it('a turn whose end is never taken does not keep the home from starting', async () => {
  const yard = await openTestYard();
  const { id } = await yard.client().sessions.create();
  refuseFor(yard.home, "BEFORE UPDATE ON turns WHEN NEW.state <> 'running'");
  await yard.client().sessions.send(id, 'hi');
  await readUntil(yard, id, ({ type }) => type === 'usage');
  await yard.close();
  const opening = openTestYard({ home: yard.home });
  expect(await Promise.race([opening.then(() => 'open'), pause(4_000)])).toBe('open');
  const types = (await logOf(await opening, id)).map(({ type }) => type);
  expect(types).not.toContain('turn_end');
});

/** A constraint of the database's own, such as one that a row breaks. */
function refuseFor(home: string, when: string): void {
  openRaw(join(home, 'toolyard.db')).exec(
    `CREATE TRIGGER refusing ${when} BEGIN SELECT RAISE(ABORT, 'no'); END`,
  );
}
