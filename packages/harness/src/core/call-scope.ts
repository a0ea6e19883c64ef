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
} from '@toolyard/sdk';

export interface CallScope {
  session: Session;
  role: Role;
  /** In force in the session's workspace. */
  config: Config;
  turnId: string;
  signal: AbortSignal;
  /** Whether the turn still goes on. Its end settles every call that is open then. */
  isOpen(): boolean;
  /** The calls that are being decided: nothing is recorded of them yet, so the turn's end cannot settle them. */
  deciding?: Set<Promise<unknown>>;
  /** Who calls, when it is not the session's own agent. */
  actor?: Actor;
  /** The own tools of the session's engine. */
  nativeTools?: readonly NativeTool[];
  /** Calls of such tools that a person allowed before a restart: each may be repeated once. */
  allowedBefore?: Map<string, ToolCallRow>;
  /** Hears progress beside the log. */
  onProgress?: (report: Progress) => void;
  /** Hears that a person is asked, and then how that ended. */
  onApproval?: (approval: Approval) => void;
}
