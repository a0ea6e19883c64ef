// Screens that the first one does without: loaded a little after it, so that they are there when the server is not, or when
// one is wanted before that.
import type { AsyncRouteComponent } from '@tanstack/react-router';
import { createElement, type FunctionComponent, use } from 'react';
import { whenReachable } from '../connection/connection-state.ts';

/** The server answers, and yet it could not be loaded: perhaps the page is of an older one. */
export class NotLoaded extends Error {
  override name = 'NotLoaded';
}

const screens: AsyncRouteComponent<object>[] = [];

/** A screen of its own file. What could not be loaded is tried again whenever somebody goes there. */
export function lazyScreen<Name extends string>(
  load: () => Promise<Record<Name, FunctionComponent>>,
  name: Name,
): AsyncRouteComponent<object> {
  let loaded: FunctionComponent | undefined;
  let loading: Promise<FunctionComponent> | undefined;
  const ask = () => {
    loading ??= loadWhenReachable(load).then((module) => {
      loaded = module[name];
      return loaded;
    });
    return loading;
  };
  const screen: AsyncRouteComponent<object> = () => createElement(loaded ?? use(ask()));
  screen.preload = () =>
    ask().then(
      () => {},
      () => {
        loading = undefined;
      },
    );
  screens.push(screen);
  return screen;
}

/** One after the other: whoever wants something has the line to himself. */
export async function preloadScreens(): Promise<void> {
  for (const screen of screens) await screen.preload?.();
}

/** Browsers remember what they could not load: it is not tried while the server is known to be away. */
async function loadWhenReachable<Module>(load: () => Promise<Module>): Promise<Module> {
  await whenReachable();
  try {
    return await load();
  } catch {
    await whenReachable({ surely: true });
    return load().catch((cause: unknown) => {
      throw new NotLoaded('A part of the page could not be loaded.', { cause });
    });
  }
}
