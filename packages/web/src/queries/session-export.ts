// A session as a file: to read, or with every event.
import { ErrorBody, ToolyardError } from '@toolyard/sdk';

type Format = 'markdown' | 'json';

function toAddress(sessionId: string, format: Format): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}/export?format=${format}`;
}

/** The whole conversation in Markdown. */
export async function readExport(sessionId: string): Promise<string> {
  const response = await fetch(toAddress(sessionId, 'markdown'), { headers: { 'x-toolyard-via': 'web' } });
  if (response.ok) return response.text();
  const failure = ErrorBody.safeParse(await response.json().catch(() => undefined)).data?.error;
  throw new ToolyardError(failure?.code ?? 'internal', failure?.message ?? 'The export could not be read.');
}

/** Lets the browser fetch and keep it. */
export function saveExport(sessionId: string, format: Format): void {
  const link = document.createElement('a');
  link.href = toAddress(sessionId, format);
  link.download = `${sessionId}.${format === 'json' ? 'json' : 'md'}`;
  link.click();
}
