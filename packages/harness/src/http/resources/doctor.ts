// The doctor over HTTP. One look at a time: whoever asks meanwhile gets the same findings.
import { type Finding, routes } from '@toolyard/sdk';
import type { HttpDeps } from '../door/deps.ts';
import { type Door, mount } from '../door/mount.ts';

export function mountDoctor(app: Door, { diagnose }: HttpDeps): void {
  let looking: Promise<Finding[]> | undefined;
  mount(app, routes.diagnose, async () => {
    looking ??= diagnose().finally(() => {
      looking = undefined;
    });
    const items = await looking;
    return { ok: items.every(({ state }) => state !== 'fail'), items };
  });
}
