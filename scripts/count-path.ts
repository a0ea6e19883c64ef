// `npm run path [-- --list]`: how many source files a message from the page passes, and an approved host tool call. Both
// are made once for real. A file counts when it stands on the call stack, as a debugger shows it across awaits and
// timers, while our code touches what is not our code: a database statement, file, socket, model, tool, the browser, or
// a promise that it resolves by hand. A helper that only computes and returns is not on the path. A room is a folder;
// each step on a stack from one room into another is counted once.
import { parseArgs } from 'node:util';
import { createRecorder } from './path/call-stacks.ts';
import { followCall } from './path/follow-call.ts';
import { followMessage } from './path/follow-message.ts';
import { watchOutside } from './path/outside.ts';
import { formatFiles, toPath } from './path/path.ts';

const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } });
const recorder = createRecorder();
watchOutside(recorder.mark);
const followed = [
  { what: 'a message from the page', stacks: await followMessage(recorder) },
  { what: 'an approved host tool call', stacks: await followCall(recorder) },
];
for (const { what, stacks } of followed) {
  const { files, rooms, changes } = toPath(stacks);
  console.log(`${what} passes ${files.length} files in ${rooms} rooms and changes rooms ${changes} times`);
  if (values.list) console.log(`${formatFiles(files)}\n`);
}
