// A person's own words in a user message: without what coding agents slip in beside them. Knows Claude Code's notes.

import { isContinuationNote, readFileName } from '@toolyard/sdk';

/** What stands between such tags was written by the program. */
const insertTags = [
  'system-reminder',
  'local-command-caveat',
  'command-name',
  'command-message',
  'command-args',
  'local-command-stdout',
  'local-command-stderr',
];

/** How the notes begin that fill a whole block. */
const noteStarts = [
  '[Request interrupted by user',
  '[Image: ',
  'Your response above was stopped by a safety classifier',
  'Output token limit hit. Resume directly',
  'This session is being continued from a previous conversation',
];
const wholeNotes = ['Tool loaded.'];

/** The words of one text block, or nothing. */
export function toPersonText(text: string): string {
  if (isNote(text) || readFileName(text) !== undefined) return '';
  return insertTags.reduce(withoutInserts, text).trim();
}

/** A block that the program wrote in the person's name. */
export function isNote(text: string): boolean {
  if (isContinuationNote(text)) return true;
  const trimmed = text.trim();
  return wholeNotes.includes(trimmed) || noteStarts.some((start) => trimmed.startsWith(start));
}

function withoutInserts(text: string, tag: string): string {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  let kept = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    if (start < 0) return kept + text.slice(from);
    kept += text.slice(from, start);
    const end = text.indexOf(close, start);
    if (end < 0) return kept;
    from = end + close.length;
  }
}
