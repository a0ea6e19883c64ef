// Runs the arms of a comparison in turns, so that a busy moment of the machine falls on all of them alike.
import { type Summary, summarize } from './samples.ts';

export interface Arm {
  /** Does the work once and gives the milliseconds it took. */
  run(): Promise<number>;
}

export interface Plan {
  rounds: number;
  /** How often each arm runs in one round. */
  perRound: number;
  /** Unmeasured runs of each arm before the first round. */
  warmUp: number;
}

export async function interleave<Name extends string>(
  arms: Readonly<Record<Name, Arm>>,
  { rounds, perRound, warmUp }: Plan,
): Promise<Record<Name, Summary>> {
  // The keys of the record are its names; the compiler only knows them as strings.
  const names = Object.keys(arms) as Name[];
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) for (let run = 0; run < warmUp; run++) await arms[name].run();
  for (let round = 0; round < rounds; round++) {
    for (const name of rotate(names, round)) {
      for (let run = 0; run < perRound; run++) samples.get(name)?.push(await arms[name].run());
    }
  }
  const summaries = names.map((name) => [name, summarize(samples.get(name) ?? [])]);
  return Object.fromEntries(summaries) as Record<Name, Summary>;
}

/** Nobody always goes first. */
function rotate<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** How long `work` takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
