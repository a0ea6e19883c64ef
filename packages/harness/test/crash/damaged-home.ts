// A home with a known log that can be damaged and opened again, in this process: hundreds of times, quickly.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ErrorBody, readSse, type Session, ToolyardError } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { onTestFinished } from 'vitest';
import { openYard, type Yard } from '../../src/app.ts';
import { workBeside } from '../support/work.ts';
import { isEndOf, quiet, readUntil } from '../support/yard.ts';
import { crashReply, plans } from './crash-script.ts';
import { ledgerToolkit } from './ledger-toolkit.ts';
import { databaseOf } from './rows.ts';

const silentAfterMs = 1_000;

export type Logs = Record<string, string[]>;

/** What a person gets to see of a damaged home. */
export type Outcome = { refused: string } | { reported: string } | { logs: Logs };

export interface DamagedHome {
  /** Every event of every session, as the line carries it. */
  logs: Logs;
  database: Buffer;
  /** Opens a copy with this database in place of its own and reads all there is. */
  openWith(database: Uint8Array): Promise<Outcome>;
}

export async function createDamagedHome(): Promise<DamagedHome> {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-damaged-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [good, bad] = [join(folder, 'good'), join(folder, 'bad')];
  const yard = await open(good);
  await fill(yard);
  const logs = await readLogs(yard);
  await yard.close();
  return {
    logs,
    database: await readFile(databaseOf(good)),
    async openWith(database) {
      await rm(bad, { recursive: true, force: true, maxRetries: 5 });
      await cp(good, bad, { recursive: true });
      await writeFile(databaseOf(bad), database);
      return look(bad);
    },
  };
}

function open(home: string): Promise<Yard> {
  const engine = createScriptedEngine({ reply: crashReply });
  const toolkits = [ledgerToolkit(`${home}.ledger`)];
  return openYard({ home, env: {}, workspace: workBeside(home), logger: quiet, engine, toolkits });
}

async function fill(yard: Yard): Promise<void> {
  const { sessions } = yard.client();
  for (const name of ['one', 'two', 'three']) {
    const { id } = await sessions.create({ title: name });
    for (const plan of [...plans, ...plans]) {
      const { turnId } = await sessions.send(id, `${plan} ${name}`);
      await readUntil(yard, id, isEndOf(turnId));
    }
  }
}

async function look(home: string): Promise<Outcome> {
  let yard: Yard;
  try {
    yard = await open(home);
  } catch (thrown) {
    return { refused: codeOf(thrown) };
  }
  try {
    return { logs: await readLogs(yard) };
  } catch (thrown) {
    return { reported: codeOf(thrown) };
  } finally {
    await yard.close();
  }
}

function codeOf(thrown: unknown): string {
  if (thrown instanceof ToolyardError) return thrown.code;
  throw thrown;
}

async function readLogs(yard: Yard): Promise<Logs> {
  const { items }: { items: Session[] } = await (await get(yard, '/api/sessions')).json();
  const logs: Logs = {};
  for (const { id, lastSeq } of items) logs[id] = await readLog(yard, id, lastSeq);
  return logs;
}

/** What is there, up to `last`; less when the line then stays silent. */
async function readLog(yard: Yard, id: string, last: number): Promise<string[]> {
  const { body } = await get(yard, `/api/sessions/${id}/events`);
  const read: string[] = [];
  if (!body || last === 0) return read;
  const silence = AbortSignal.timeout(silentAfterMs);
  try {
    for await (const message of readSse(body.pipeThrough(new TransformStream(), { signal: silence }))) {
      if (message.id === undefined) throw toError(JSON.parse(message.data));
      read.push(message.data);
      if (read.length === last) break;
    }
  } catch (thrown) {
    if (!silence.aborted) throw thrown;
  }
  return read;
}

async function get(yard: Yard, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${yard.token}` };
  const response = await yard.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
  if (!response.ok) throw toError(await response.json());
  return response;
}

function toError({ error }: ErrorBody): ToolyardError {
  return new ToolyardError(error.code, error.message);
}
