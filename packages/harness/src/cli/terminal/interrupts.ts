// Ctrl-C: the first press asks, the second insists.

/** npm passes on the Ctrl-C that the terminal has already sent; presses this close together are one. */
const samePressMs = 200;

/** Hears Ctrl-C until the returned function is called. */
export function onInterrupt(listeners: { first(): void; second(): void }): () => void {
  let firstAt: number | undefined;
  const listener = () => {
    const now = Date.now();
    if (firstAt === undefined) {
      firstAt = now;
      listeners.first();
    } else if (now - firstAt > samePressMs) listeners.second();
  };
  process.on('SIGINT', listener);
  return () => void process.off('SIGINT', listener);
}
