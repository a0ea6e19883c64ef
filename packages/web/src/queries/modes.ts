// Permission modes, as a person chooses among them.
import type { PermissionMode } from '@toolyard/sdk';

export interface ModeWords {
  value: PermissionMode;
  label: string;
  note: string;
}

export const modes: readonly ModeWords[] = [
  { value: 'default', label: 'Ask', note: 'Asks you as the role and the tool demand' },
  {
    value: 'acceptEdits',
    label: 'Accept edits',
    note: 'Reads, writes in the workspace and delegates unasked; asks before it runs things',
  },
  { value: 'plan', label: 'Plan', note: 'Reads and plans; changes and runs nothing' },
  { value: 'bypassPermissions', label: 'Bypass', note: 'Never asks: whatever the role allows, runs' },
];

export function toModeLabel(mode: PermissionMode): string {
  return modes.find(({ value }) => value === mode)?.label ?? mode;
}
