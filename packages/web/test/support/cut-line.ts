// The page's line to the server, cut and mended at will. What is served over HTTP stays.
import type { Page, WebSocketRoute } from 'playwright-core';

/** `refused`: the message that the server will not take. */
export async function cutLine(
  page: Page,
  { refused }: { refused?: string } = {},
): Promise<{ cut(): Promise<void>; mend(): void }> {
  const lines = new Set<WebSocketRoute>();
  let isAway = false;
  await page.routeWebSocket(/\/api\/ws/, (line) => {
    if (isAway) return void line.close();
    lines.add(line);
    const server = line.connectToServer();
    if (refused === undefined) return;
    line.onMessage((message) => {
      const { type, ref, content } = JSON.parse(String(message));
      const error = { code: 'storage_failed', message: 'The disk is full.' };
      if (type === 'message' && content === refused) line.send(JSON.stringify({ type: 'error', ref, error }));
      else server.send(message);
    });
  });
  return {
    async cut() {
      isAway = true;
      await Promise.all([...lines].map((line) => line.close()));
      lines.clear();
    },
    mend() {
      isAway = false;
    },
  };
}
