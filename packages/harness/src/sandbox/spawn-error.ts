// How a process that cannot be had is reported: the command's name, the reason, never its arguments or environment.
import { ToolyardError } from '@toolyard/sdk';

export function toSpawnError(command: string, reason: string, cause?: unknown): ToolyardError {
  return new ToolyardError('process_failed', `${command} could not be started: ${reason}`, {
    data: { command },
    cause,
  });
}

export function toReason(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.message}.` : String(thrown);
}
