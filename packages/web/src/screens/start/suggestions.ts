// What to try first: a tool call, an approval, a long answer. The rehearsal knows these lines; a real model will do, too.
import type { PermissionMode } from '@toolyard/sdk';

export interface Suggestion {
  /** What it shows. */
  name: string;
  shows: string;
  prompt: string;
  mode: PermissionMode;
}

export const suggestions: readonly Suggestion[] = [
  {
    name: 'Watch tools run',
    shows: 'Two tools at once. Reading needs no approval in the mode “Accept edits”.',
    prompt: 'Ping the server and count the sessions here.',
    mode: 'acceptEdits',
  },
  {
    name: 'Approve a call',
    shows: 'The agent wants to call a tool, and waits for your yes.',
    prompt: 'Which version of Toolyard is this, and how long has it been running?',
    mode: 'default',
  },
  {
    name: 'Read a long answer',
    shows: 'Words as they come: scroll away, stop it, or let it finish.',
    prompt: 'Tell me a long story about a railway yard.',
    mode: 'default',
  },
];
