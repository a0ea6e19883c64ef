// A call on one line: of one that is still being written, the newest of its input. Pure.
import type { ToolItem } from '@toolyard/sdk';
import { toInputBrief, toWritingBrief } from '../approvals/input-brief.ts';

export function toBrief({ state, input, inputText }: ToolItem): string {
  return state === 'writing' ? toWritingBrief(inputText) : toInputBrief(input);
}
