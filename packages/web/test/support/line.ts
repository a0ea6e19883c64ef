// Stands between the page and its server on the one socket.
import type { Page } from 'playwright-core';

/** Holds back events from the first that fits until `released`: what the page asks is answered meanwhile. */
export async function holdEvents(page: Page, first: RegExp, released: Promise<void>): Promise<void> {
  await page.routeWebSocket(/\/api\/ws/, (line) => {
    const server = line.connectToServer();
    let turn = Promise.resolve();
    server.onMessage((message) => {
      const frame = String(message);
      if (!frame.startsWith('{"type":"event"')) return line.send(message);
      if (first.test(frame)) turn = turn.then(() => released);
      turn = turn.then(() => line.send(message));
    });
  });
}

/** Holds back the page's wish to hear of all sessions until `released`. */
export async function holdSubscription(page: Page, released: Promise<void>): Promise<void> {
  await page.routeWebSocket(/\/api\/ws/, (line) => {
    const server = line.connectToServer();
    line.onMessage((message) => {
      const { type, sessionId } = JSON.parse(String(message));
      if (type !== 'subscribe' || sessionId !== undefined) return server.send(message);
      void released.then(() => server.send(message));
    });
  });
}
