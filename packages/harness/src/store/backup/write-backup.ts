// Writes a backup in a thread of its own: copying, checking and packing a database would hold up everybody who waits for
// the server. The thread reads through a connection of its own, which no writer waits for.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure, ToolyardError } from '@toolyard/sdk';
import { prepareBackupsFolder } from '../../core/backup/backup-files.ts';
import type { WriteBackup, WrittenBackup } from '../../core/backup/backups.ts';
import { syncFolderOf } from '../../core/backup/journal.ts';

// Imports the work by module and name, as a build may have renamed the file.
const program = `
const { parentPort, workerData: { module, job } } = require('node:worker_threads');
import(module).then(({ copyHome }) => copyHome(job)).then(
  (value) => parentPort.postMessage({ value }),
  (error) => parentPort.postMessage({ failure: error.toFailure?.(), said: String(error?.stack ?? error) }));
`;

interface Answer {
  value?: WrittenBackup;
  failure?: unknown;
  said?: string;
}

export const writeBackup: WriteBackup = async (job, signal) => {
  const { moduleUrl } = await import('./copy-home.ts');
  const id = randomBytes(6).toString('hex');
  // What is not yet a backup goes by such names, so that the next one can tell. The copy lies in the home: elsewhere the
  // file system may not be one for databases.
  const part = `${job.target}.${id}.part`;
  const copy = join(await prepareBackupsFolder(job.home), `copy.tar.gz.${id}.db`);
  const workerData = { module: moduleUrl, job: { ...job, part, copy } };
  const worker = new Worker(program, { eval: true, workerData, env: {} });
  try {
    return await waitForWorker(worker, signal);
  } finally {
    await worker.terminate();
    // What went wrong before matters more than what cannot be removed.
    for (const path of [part, ...copyEnds.map((end) => `${copy}${end}`)])
      await rm(path, { force: true }).catch(() => {});
    await syncFolderOf(job.target);
  }
};

const copyEnds = ['', '-journal', '-wal', '-shm'];

function waitForWorker(worker: Worker, signal: AbortSignal): Promise<WrittenBackup> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new ToolyardError('shutting_down', 'The server stopped during the backup.'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    worker.on('message', ({ value, failure, said }: Answer) => {
      if (value) return resolve(value);
      const known = Failure.safeParse(failure).data;
      reject(
        known
          ? new ToolyardError(known.code, known.message, known.data && { data: known.data })
          : new Error(said),
      );
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the backup worker exited without a result')));
  });
}
