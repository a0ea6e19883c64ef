// A whole yard in memory for app-level tests: real store, real core, real HTTP app, a scripted engine.
import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Content, type Event, pause, type Session } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { onTestFinished } from 'vitest';
import { openYard, type Yard, type YardOptions } from '../../src/app.ts';
import type { Logger } from '../../src/core/lib/ports.ts';
import { workBeside } from './work.ts';

export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Where files lie in memory, on a machine with room for them there: nothing waits for a disk. */
export const memoryRoot = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 2 ** 30;
}

type OnFinished = typeof onTestFinished;

/** A directory that is gone when the test is. A concurrent test must hand over its own `onTestFinished`. */
export async function temporaryDirectory(
  onFinished: OnFinished = onTestFinished,
  parent = tmpdir(),
): Promise<string> {
  const path = await mkdtemp(join(parent, 'toolyard-test-'));
  onFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** The same in memory. Programs in a sandbox do not see it. */
export function memoryDirectory(onFinished: OnFinished = onTestFinished): Promise<string> {
  return temporaryDirectory(onFinished, memoryRoot);
}

/** With its home, and where its sessions work. */
export type TestYard = Yard & { home: string; work: string };

/** A concurrent test must hand over its own `onTestFinished`. */
export async function openTestYard(
  options: Partial<YardOptions> = {},
  onFinished: OnFinished = onTestFinished,
): Promise<TestYard> {
  const home = options.home ?? (await memoryDirectory(onFinished));
  const engine = options.engine ?? createScriptedEngine();
  const work = options.workspace ?? workBeside(home);
  if (!options.workspace) onFinished(() => rm(work, { recursive: true, force: true, maxRetries: 5 }));
  const yard = await openYard({ home, env: {}, workspace: work, logger: quiet, engine, ...options });
  onFinished(() => yard.close());
  return Object.assign(yard, { home, work });
}

/** Reads a session's log until `isLast`, or fails after ten seconds. */
export async function readUntil(yard: Yard, id: string, isLast: (event: Event) => boolean): Promise<Event[]> {
  const seen: Event[] = [];
  for await (const event of yard.client().sessions.events(id, { signal: AbortSignal.timeout(10_000) })) {
    seen.push(event);
    if (isLast(event)) return seen;
  }
  throw new Error(`the log ended early, after ${JSON.stringify(seen.map(({ type }) => type))}`);
}

/** All that is in a session's log now. */
export async function logOf(yard: Yard, id: string): Promise<Event[]> {
  const { lastSeq } = await yard.client().sessions.get(id);
  return lastSeq === 0 ? [] : readUntil(yard, id, ({ seq }) => seq >= lastSeq);
}

/** The newest session, as soon as there is one. */
export async function firstListed(yard: Yard): Promise<Session> {
  for (let tries = 0; tries < 500; tries++) {
    const [session] = (await yard.client().sessions.list()).items;
    if (session) return session;
    await pause(20);
  }
  throw new Error('nothing was ever listed');
}

export function isEndOf(turnId: string) {
  return (event: Event) => event.type === 'turn_end' && event.data.turnId === turnId;
}

/** Sends a message and reads up to the end of its turn. */
export async function converse(yard: Yard, id: string, content: Content): Promise<Event[]> {
  const { turnId } = await yard.client().sessions.send(id, content);
  return readUntil(yard, id, isEndOf(turnId));
}
