// What a benchmark is: named work that measures itself and gives rows for the table. It never passes or fails.

export interface BenchmarkOptions {
  /** How many rounds each arm gets; the arms take turns. */
  rounds: number;
  /** A folder on a real disk that is gone afterwards. */
  folder: string;
}

export interface Benchmark {
  /** What `--only` takes. */
  name: string;
  title: string;
  run(options: BenchmarkOptions): Promise<Findings>;
}

export interface Findings {
  rows: Row[];
  /** Sentences under the table. */
  notes: string[];
}

export interface Row {
  work: string;
  /** For people, with its unit. */
  ours: string;
  /** Who stands beside us and how it did. */
  peer?: string;
  /** Ours divided by the peer's. */
  ratio?: number;
  target?: string;
  met?: boolean;
  /** The same and more for programs: milliseconds unless the name says otherwise. */
  numbers: Record<string, number>;
}
