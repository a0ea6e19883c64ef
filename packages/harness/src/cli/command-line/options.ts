// Options that several commands share.
import type { Option } from './arguments.ts';

export const json: Option = { name: 'json', summary: 'Print JSON for programs' };

export const role: Option = { name: 'role', value: 'ROLE', summary: 'Role (default: defaults.role)' };

export const mode: Option = {
  name: 'mode',
  value: 'MODE',
  summary: 'Permission mode: default, acceptEdits, plan, bypassPermissions',
};

/** For commands that follow a turn to its end. */
export const turnNotes =
  'Exit codes: 0 done, 1 failed, 2 usage, 3 denied, expired, parked or at a limit, 130 interrupted (Ctrl-C).';
