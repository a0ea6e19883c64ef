// Why a turn was told to stop.
import { ToolyardError } from '@toolyard/sdk';

/** Because the server stops? Then the next start sees to it. */
export function isRestart(reason: unknown): boolean {
  return reason instanceof ToolyardError && reason.code === 'restarted';
}
