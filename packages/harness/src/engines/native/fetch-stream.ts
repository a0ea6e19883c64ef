// The one way out to a model: no redirect is followed, and whatever is not an event stream is refused at once.
import { ToolyardError } from '@toolyard/sdk';

export type FetchStream = (url: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

/** `address` is what a person checks when it is not a model that answers. */
export function createFetchStream(address: string): FetchStream {
  return async (url, init) => {
    // A redirect would carry the key to wherever it points.
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const type = response.headers.get('content-type') ?? 'nothing';
    if (!response.ok || /^text\/event-stream\b/i.test(type)) return response;
    await response.body?.cancel();
    throw new ToolyardError(
      'malformed_response',
      `The model’s provider answered with ${type.slice(0, 60)} instead of a stream of events. Check ${address}.`,
    );
  };
}
