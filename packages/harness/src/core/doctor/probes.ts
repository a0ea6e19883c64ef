// What the doctor asks of the rooms around the core.
import type { AuditVerdict, Health, StoreSize } from '@toolyard/sdk';
import type { ConfigFile } from '../config/config.ts';
import type { ToolNames } from '../config-editor/unknown-tools.ts';

export interface DoctorProbes {
  home: string;
  env: NodeJS.ProcessEnv;
  /** Directory of sessions that name none. */
  workspace: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Roles that ship. */
  shippedFolder: string;
  /** What the home's file says, and over it what the program around the yard does. Rejects when the file is broken. */
  readConfig(): Promise<ConfigFile & { hasOverlay: boolean }>;
  /** What a configuration may name. */
  tools: ToolNames;
  /** Looks at the whole database without changing it. Rejects with what is wrong with it; nothing when there is none. */
  inspectDatabase(): Promise<DatabaseFacts | undefined>;
  /** Asks a server for its health; throws when none answers. */
  askHealth(url: string, origin?: string): Promise<Health>;
  /** Does a server let somebody in who has the owner's token in a cookie, and nothing else? */
  admitsCookie(url: string): Promise<boolean>;
  /** Does anything answer HTTP at an address, whatever it says? */
  answers(url: string): Promise<boolean>;
  /** Who has a port, if anyone: a program's name. */
  findPortOwner(host: string, port: number): Promise<string | undefined>;
  /** Tries how processes can be owned here. */
  probeSandbox(): Promise<{ kind: 'namespace' | 'group' | 'failed'; reason?: string }>;
  /** Has commands try what they must not be able to do. What they could; rejects when none can be run. */
  proveConfinement(): Promise<readonly string[]>;
  /** How many such attempts there are. */
  attempts: number;
  /** Asks the CLI of the Claude engine for its version. */
  probeClaude(executable: string | undefined): Promise<ClaudeFacts>;
  /** What Claude Code is configured by. */
  probeClaudeSettings(trustsManaged: boolean): Promise<ClaudeSettingsFacts>;
  /** Looks for conversations of Claude Code; no path when the environment names no home. */
  probeTranscripts(): Promise<{ path?: string; count: number; problems: { path: string; code: string }[] }>;
}

/** What can be known of a database that is sound. */
export interface DatabaseFacts {
  /** Of the file, and of this program. */
  schema: { found: number; known: number };
  size: StoreSize;
  /** What is deleted can be given back to the disk. */
  canShrink: boolean;
  sessions: number;
  /** ISO time of what was written last. */
  newestAt?: string;
  audit: AuditVerdict;
  /** Positions of the log; absent before there is an index. */
  search?: { indexed: number; last: number; titles: boolean };
  owner?: { pid: number; host: string; held: boolean; isAlive: boolean; beatAt: number };
}

/** What can be known of Claude Code without a conversation. */
export interface ClaudeFacts {
  sdk?: string;
  command?: string;
  cli?: string;
  isOld?: boolean;
  problem?: string;
}

/** A setting of Claude Code that somebody else has written and that touches the gate. */
export interface OutsideSettingFacts {
  file: string;
  key?: string;
  problem?: string;
  isManaged: boolean;
}

export interface ClaudeSettingsFacts {
  /** The folder that it is configured by, and the person's own. */
  folder: string;
  theirs: string;
  /** It is not started while there are any. */
  reaching: OutsideSettingFacts[];
  /** Only a terminal's obeys these. */
  ignored: OutsideSettingFacts[];
}
