// Each load of the page in a tab is a life of its own. A tab that was duplicated begins with a copy of the other's storage:
// by its life a page finds out whether what it finds there is its own, from before a reload, or belongs to a tab that lives.

export const tabInstanceId = crypto.getRandomValues(new Uint32Array(4)).join('-');

const answerTimeoutMs = 300;
const channel = new BroadcastChannel('toolyard.tabs');

channel.addEventListener('message', ({ data }) => {
  if (data?.ask === tabInstanceId) channel.postMessage({ lives: tabInstanceId });
});

/** Was that an earlier life of this very tab? A page that was not loaded anew has none. */
export async function isEarlierInstance(instanceId: string): Promise<boolean> {
  const [entry] = performance.getEntriesByType('navigation');
  if (entry instanceof PerformanceNavigationTiming && entry.type !== 'reload') return false;
  return !(await isInstanceAlive(instanceId));
}

function isInstanceAlive(instanceId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = (isAlive: boolean) => {
      stop.abort();
      resolve(isAlive);
    };
    const onMessage = ({ data }: MessageEvent) => {
      if (data?.lives === instanceId) end(true);
    };
    channel.addEventListener('message', onMessage, { signal: stop.signal });
    channel.postMessage({ ask: instanceId });
    setTimeout(() => end(false), answerTimeoutMs);
  });
}
