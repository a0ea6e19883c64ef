import { expect, it } from 'vitest';
import { createPrincipals } from '../../../src/core/identity/principals.ts';
import { createIds } from '../../../src/core/lib/ids.ts';
import { openHouse } from '../../support/workspace.ts';

it('a login of another port counts no more, even before it was ended', async () => {
  const { store } = await openHouse();
  const clock = { now: () => Date.now() };
  let port = 4242;
  const principals = createPrincipals({
    store,
    clock,
    newId: createIds(clock),
    ownerToken: 'o',
    port: () => port,
  });
  const origin = 'http://127.0.0.1:4242';
  const { id, secret } = await principals.redeemLoginCode(principals.createLoginCode().code, { origin });
  expect(await principals.identify(secret, origin)).toMatchObject({ kind: 'person', id });
  port = 4243;
  expect(await principals.identify(secret, origin)).toBeUndefined();
});
