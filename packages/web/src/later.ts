// Parts of the page that its first screen does without: loaded soon after it, so that they are there when the server is
// not, or when one is wanted before that.
import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router';
import { whenReachable } from './server/line.ts';

const parts: Pick<AsyncRouteComponent<never>, 'preload'>[] = [];

/** A component of its own file. One that cannot be loaded though the server answers has the page loaded anew, once. */
export function later<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, (props: Props) => React.ReactNode>>,
  name: Name,
): AsyncRouteComponent<Props> {
  const part = lazyRouteComponent(() => patiently(load), name) as AsyncRouteComponent<Props>;
  parts.push(part);
  return part;
}

/** One after the other: whoever wants something has the line to himself. */
export async function loadRest(): Promise<void> {
  for (const part of parts) await part.preload?.();
}

/** Browsers remember what they could not load: it is not tried while the server is known to be away. */
async function patiently<Module>(load: () => Promise<Module>): Promise<Module> {
  await whenReachable();
  try {
    return await load();
  } catch {
    await whenReachable({ surely: true });
    return load();
  }
}
