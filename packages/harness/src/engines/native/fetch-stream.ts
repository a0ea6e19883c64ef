// The one way out to a model: no redirect is followed, and whatever is not an event stream is refused at once.
import { ToolyardError } from '@toolyard/sdk';

export async function fetchStream(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  // A redirect would carry the key to wherever it points.
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const type = response.headers.get('content-type') ?? 'nothing';
  if (!response.ok || type.startsWith('text/event-stream')) return response;
  await response.body?.cancel();
  throw new ToolyardError(
    'malformed_response',
    `The model’s provider answered with ${type.slice(0, 60)} instead of a stream of events. Check ANTHROPIC_BASE_URL.`,
  );
}
