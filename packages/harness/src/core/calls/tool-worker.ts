// A handler in a thread of its own: it may spin or eat memory, and is ended all the same.
import { Worker } from 'node:worker_threads';
import { type ToolContext, ToolError } from '@toolyard/sdk';

const memoryMb = 512;

interface Answer {
  value?: unknown;
  /** Words for the model. */
  toolError?: string;
  error?: string;
}

// Runs inside the worker: imports the tool by module and export, and calls its handler.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { module, exportName, input, context } = workerData;
const never = new AbortController().signal;
import(module)
  .then((found) => found[exportName].run(input, { ...context, signal: never, progress: (report) => parentPort.postMessage({ report }) }))
  .then((value) => parentPort.postMessage({ value }))
  .catch((error) => parentPort.postMessage(
    error?.name === 'ToolError' ? { toolError: error.message } : { error: String(error?.stack ?? error) }));
`;

/** Resolves with what the handler returned; an abort ends the thread. */
export function runInWorker(
  { module, exportName }: { module: string; exportName: string },
  input: unknown,
  { signal, progress, ...context }: ToolContext,
): Promise<unknown> {
  const worker = new Worker(program, {
    eval: true,
    workerData: { module, exportName, input, context },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    env: {},
  });
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.on('message', (message: Answer & { report?: Parameters<typeof progress>[0] }) => {
      if (message.report) progress(message.report);
      else if (message.toolError !== undefined) reject(new ToolError(message.toolError));
      else if (message.error !== undefined) reject(new Error(message.error));
      else resolve(message.value);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the worker exited without a result')));
  }).finally(() => worker.terminate());
}
