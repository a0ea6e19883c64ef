// Who calls a tool, and within what.
import type {
  Actor,
  Approval,
  Config,
  NativeTool,
  Progress,
  Role,
  Session,
  ToolCallRow,
  ToolyardError,
} from '@toolyard/sdk';
import type { Above } from '../access/access.ts';

export interface CallScope {
  session: Session;
  role: Role;
  /** In force in the session's workspace. */
  config: Config;
  /** Those that have drafted its agent. */
  above?: Above;
  /** The call before this one, and how often it was made in a row. */
  repeats?: { key: string; count: number };
  /** Ends the turn: a limit has been reached. */
  stop?(reached: ToolyardError): void;
  turnId: string;
  signal: AbortSignal;
  /** Whether the turn still goes on. Its end settles every call that is open then. */
  isOpen(): boolean;
  /** The calls that are being decided: nothing is recorded of them yet, so the turn's end cannot settle them. */
  deciding?: Set<Promise<unknown>>;
  /** Who calls, when it is not the session's own agent. */
  actor?: Actor;
  /** The call has its session to itself: nothing in it could be called again. */
  isAlone?: boolean;
  /** The own tools of the session's engine. */
  nativeTools?: readonly NativeTool[];
  /** Calls of such tools that a person allowed before a restart: each may be repeated once. */
  allowedBefore?: Map<string, ToolCallRow>;
  /** Hears progress beside the log. */
  onProgress?: (report: Progress) => void;
  /** Hears what a broken tool threw, which no model is told. */
  onBroken?: (thrown: unknown) => void;
  /** Hears that a person is asked, and then how that ended. */
  onApproval?: (approval: Approval) => void;
}
