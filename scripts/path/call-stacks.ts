// Call stacks as a debugger shows them: with the calls that an await, a timer or a socket goes back to.
import inspector from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { isSource, root } from '../source/repository.ts';

export interface Frame {
  /** Relative to the repository. */
  file: string;
  /** The function; in the server with its line. */
  place: string;
}

/** The first call first. */
export type Stack = readonly Frame[];

export interface Trace {
  /** What it was kept with. */
  text: string;
  stack: Stack;
}

export interface Recorder {
  /** Begins to keep stacks. Not long before it matters: of many, the debugger drops the oldest. */
  start(): void;
  /** Keeps the stack of whoever calls this. */
  mark(text?: string): void;
  /** All that was kept, in order. */
  stop(): Trace[];
}

/** Deeper than any stack of ours. */
export const maxDepth = 200;

/** Of this process. */
export function createRecorder(): Recorder {
  let traces: Trace[] = [];
  const session = new inspector.Session();
  session.connect();
  session.on('Runtime.consoleAPICalled', ({ params: { args, stackTrace } }) => {
    if (stackTrace) traces.push({ text: String(args[0]?.value), stack: toStack(stackTrace, toFrame) });
  });
  session.post('Runtime.enable');
  session.post('Debugger.enable');
  const follow = (depth: number) => session.post('Debugger.setAsyncCallStackDepth', { maxDepth: depth });
  let isOn = false;
  return {
    start() {
      isOn = true;
      traces = [];
      follow(maxDepth);
    },
    mark(text = '') {
      if (isOn) inspector.console.trace(text);
    },
    stop() {
      isOn = false;
      follow(0);
      return traces;
    },
  };
}

interface Call {
  functionName: string;
  url: string;
  lineNumber: number;
}

/** A stack of the debugger's protocol, of Node's or of Chromium's. */
interface StackTrace {
  callFrames: Call[];
  parent?: StackTrace | undefined;
}

/** Calls without a frame are left out. */
export function toStack(trace: StackTrace, toFrame: (call: Call) => Frame | undefined): Stack {
  const frames: Frame[] = [];
  for (let part: StackTrace | undefined = trace; part; part = part.parent) {
    for (const call of part.callFrames) {
      const frame = toFrame(call);
      if (frame) frames.push(frame);
    }
  }
  return frames.reverse();
}

const base = `${pathToFileURL(root).href}/`;
/** What keeps the stacks stands at the end of each. */
const own = ['scripts/path/outside.ts', 'scripts/path/call-stacks.ts'];

function toFrame({ functionName, url, lineNumber }: Call): Frame | undefined {
  const file = url.startsWith(base) ? url.slice(base.length) : '';
  const isKept = isSource(file) || (file.startsWith('scripts/') && !own.includes(file));
  return isKept ? { file, place: `${functionName || 'anonymous'}:${lineNumber + 1}` } : undefined;
}
