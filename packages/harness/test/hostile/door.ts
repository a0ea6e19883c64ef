// The front door as the hostile tests knock at it: one session behind it, and a way to see whether anything changed.
import { type AnyRoute, routes } from '@toolyard/sdk';
import type { Yard } from '../../src/app.ts';
import { openTestYard } from '../support/yard.ts';

export const table = Object.entries<AnyRoute>(routes);

/** A yard with one session, and ways to knock at it. */
export async function openDoor() {
  const yard = await openTestYard();
  const { id } = await yard.client().sessions.create();
  const base = 'http://127.0.0.1:4242';
  return {
    yard,
    id,
    pathOf: ({ path }: AnyRoute) => path.replace(':id', id),
    bearer: { authorization: `Bearer ${yard.token}` },
    knock: (path: string, init: RequestInit = {}) => yard.fetch(new Request(base + path, init)),
    facts: () => factsOf(yard),
  };
}

/** All that a request could have changed. */
export function factsOf(yard: Yard) {
  return yard.client().sessions.list();
}

export async function codeOf(response: Response): Promise<string> {
  const body: { error: { code: string } } = await response.json();
  return body.error.code;
}
