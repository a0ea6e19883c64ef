// The SpawnProcess port: how engines, external servers and commands get a process. Whoever starts one owns it and
// everything it starts. Types only: streams are described, not imported, so that the SDK needs no module of Node's.

/**
 * Starts a process. Resolves once the command runs; rejects with a ToolyardError that names the command when it
 * cannot be started, and with the signal's reason when `signal` aborts first. Nothing is left over in either case.
 */
export type SpawnProcess = (spec: ProcessSpec) => Promise<OwnedProcess>;

export interface ProcessSpec {
  /** A path, or a name that is looked up in the PATH of `env`. Never a line for a shell. */
  command: string;
  args: readonly string[];
  /** An existing directory outside the home, as an absolute path. */
  cwd: string;
  /** All the process is told, besides PATH, HOME, LANG, TMPDIR and TERM of the server. Wins over those. */
  env: Readonly<Record<string, string>>;
  /** Why, in a few words, for the log. */
  purpose: string;
  /** Ends the process as `kill()` does. */
  signal?: AbortSignal;
  /** Pipes by default. What is ignored reads as empty and swallows what is written. */
  stdio?: { readonly [stream in 'stdin' | 'stdout' | 'stderr']?: 'pipe' | 'ignore' };
  /** What it sees besides. Only where the platform can. */
  view?: ProcessView;
  /** It ends by itself in a moment: it is started faster, and a server that is killed then does not end it. */
  isBrief?: boolean;
}

/** How the files that a process sees differ from the server's. The home is hidden in any case. */
export interface ProcessView {
  /** Folders that are empty for it. One that is not there is skipped. */
  hidden?: readonly string[];
  /** Files and folders that it sees all the same, in the order of their binding. */
  shown?: readonly ShownPath[];
  /** The only folders that it may write to. Then it has no network either. */
  writable?: readonly string[];
}

export interface ShownPath {
  /** What is shown. It must be there. */
  path: string;
  /** Where the process sees it: in the same place by default. */
  at?: string;
  access: 'read' | 'write';
}

/** How far the commands reach that an agent's words start. */
export interface CommandBounds {
  /** Folders that they may write to: the workspace, and what its person added. */
  roots: readonly string[];
  /** Hosts that they may reach, as `name`, `*.name` or `name:port`. Everything else of the network is not there. */
  hosts: readonly string[];
}

/** Why none is run. */
export interface NoCommands {
  refusal: string;
}

/** Programs that stand in for the shell and git of an engine's process, and run each command within bounds. */
export interface ConfinedShell {
  /** A folder with `bash` and `git`: first in the PATH of the process. */
  readonly bin: string;
  /** What the process must be shown for it. */
  readonly shown: readonly ShownPath[];
  /** From now on commands reach this much, or all that the process itself reaches. Before, none runs. */
  allow(sessionId: string, bounds: CommandBounds | NoCommands | 'everything'): Promise<void>;
  /** A turn begins, in which commands are run. */
  begin(): void;
  /** It has ended: the workspace is left as it was, unless something still runs below the process of this number. */
  rest(pid: number): Promise<void>;
  /** Once the process is gone. */
  close(): Promise<void>;
}

/** Nothing where commands cannot be confined. */
export type OpenShell = () => Promise<ConfinedShell | undefined>;

/** Where the platform can, the hidden home holds this folder for each process: empty, its own, seen by nobody else. */
export const privateFolder = 'run';

export interface OwnedProcess {
  /** As the server's machine numbers it. Inside its own namespace the process has another number. */
  readonly pid: number;
  readonly stdin: ProcessInput;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
  /** Resolves when the command has ended and whatever it left running is gone too. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /**
   * Ends the command and everything it started: asks (SIGTERM), waits up to `graceMs` (2,000 by default), then kills.
   * Resolves when they are verified gone, at once when they already are; rejects if something outlives it. Safe to
   * call again, to be less patient.
   */
  kill(graceMs?: number): Promise<void>;
}

/** How a command ended: by itself with a code, or by a signal. A namespace may report signal n as code 128 + n. */
export interface ProcessExit {
  code: number | null;
  signal: string | null;
}

export interface ProcessInput {
  /** Resolves when the bytes have left for the process, so that waiting for it holds no more than one chunk. */
  write(chunk: Uint8Array | string): Promise<void>;
  /** Closes the pipe: the process reads the end of its input. */
  end(): Promise<void>;
}

/**
 * Bytes as the process wrote them, cut anywhere. To be read once; leaving the loop early closes the pipe. What nobody
 * reads stays in the pipe and, once that is full, holds the process back.
 */
export type ProcessOutput = AsyncIterable<Uint8Array>;
