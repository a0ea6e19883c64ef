// The front door as the hostile tests knock at it: one session behind it, and a way to see whether anything changed.
import { type AnyRoute, routes } from '@toolyard/sdk';
import type { Yard } from '../../src/app.ts';
import { type SharedYardOptions, shareYard } from '../support/shared-yard.ts';
import { openTestYard } from '../support/yard.ts';

export const table = Object.entries<AnyRoute>(routes);

/** A yard with one session, and ways to knock at it. */
export async function openDoor() {
  return toDoor(await openTestYard());
}

/** The same with a yard that the tests share, in which each has a session of its own. */
export function shareDoor(options: SharedYardOptions = {}): typeof openDoor {
  const openYard = shareYard(options);
  return async () => toDoor(await openYard());
}

async function toDoor(yard: Yard & { home: string }) {
  const { id } = await yard.client().sessions.create();
  const base = 'http://127.0.0.1:4242';
  return {
    yard,
    id,
    pathOf: ({ path }: AnyRoute) => path.replace(':id', id),
    bearer: { authorization: `Bearer ${yard.token}` },
    knock: (path: string, init: RequestInit = {}) => yard.fetch(new Request(base + path, init)),
    facts: () => factsOf(yard, id),
  };
}

/** All that a request could have changed: the session of the test, and which others there are. */
async function factsOf(yard: Yard, id: string) {
  const { items } = await yard.client().sessions.list();
  return { own: await yard.client().sessions.get(id), all: items.map((session) => session.id) };
}

export async function codeOf(response: Response): Promise<string> {
  const body: { error: { code: string } } = await response.json();
  return body.error.code;
}
