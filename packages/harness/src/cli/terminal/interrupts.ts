// Ctrl-C: the first press asks for a clean stop, the second forces it.

/** npm forwards a Ctrl-C that the terminal has already sent. Two signals within this time count as one press. */
const samePressMs = 200;

/** Listens for Ctrl-C until the returned function is called. */
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
