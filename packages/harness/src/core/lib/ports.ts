// What core needs of the outside and what the rooms around it share. Types and tiny constants only.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The moments between two steps that must both hold; tests kill the process at each of them. */
export const crashPoints = [
  'migration.written',
  'restore.unpacked',
  'restore.decided',
  'restore.moved',
  'commit.begun',
  'commit.written',
  'commit.durable',
  'message.accepted',
  'turn.started',
  'tool.asked',
  'approval.answered',
  'tool.started',
  'tool.ran',
  'tool.recorded',
  'turn.ended',
  'agent.drafted',
  'agent.begun',
  'agent.reported',
  'session.deleted',
  'session.copied',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/** Called at each crash point. Does nothing outside tests. */
export type OnCrashPoint = (point: CrashPoint) => void;

/** Where the harness writes what only its operator should read. Never throws, never waits; takes secrets out itself. */
export interface Logger {
  debug(message: string, data?: Record<string, unknown>): void;
  info(message: string, data?: Record<string, unknown>): void;
  warn(message: string, data?: Record<string, unknown>): void;
  error(message: string, data?: Record<string, unknown>): void;
}
