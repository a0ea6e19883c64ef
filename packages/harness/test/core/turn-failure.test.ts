// Why a turn failed is in a provider's own words, and these may quote a key.
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { expect, it } from 'vitest';
import { converse, openTestYard } from '../support/yard.ts';

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
