// The HTTP app as a target of the hostile tests: one session in it, and a way to see whether anything changed.
import { type AnyRoute, routes } from '@toolyard/sdk';
import type { Yard } from '../../src/app.ts';
import { type SharedYardOptions, shareYard } from '../support/shared-yard.ts';
import { openTestYard, type TestYard } from '../support/yard.ts';

export const table = Object.entries<AnyRoute>(routes);

/** A yard with one session, and ways to send it requests. */
export async function openTarget() {
  return toTarget(await openTestYard());
}

/** The same with a yard that the tests share, in which each has a session of its own. */
export function shareTarget(options: SharedYardOptions = {}): typeof openTarget {
  const openYard = shareYard(options);
  return async () => toTarget(await openYard());
}

async function toTarget(yard: TestYard) {
  const { id } = await yard.client().sessions.create();
  const base = 'http://127.0.0.1:4242';
  return {
    yard,
    id,
    pathOf: ({ path }: AnyRoute) => path.replace(':id', id),
    bearer: { authorization: `Bearer ${yard.token}` },
    request: (path: string, init: RequestInit = {}) => yard.fetch(new Request(base + path, init)),
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
