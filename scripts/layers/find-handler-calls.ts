// Finds places that run a tool's handler. Only the toolbox's hands may: every other way would go past policy,
// approvals and the audit.
import type { SourceFile } from '../source/repository.ts';

/** One calls a handler in this process, the other in a worker. */
const handlerRunners: ReadonlySet<string> = new Set([
  'packages/harness/src/core/calls/tool-run.ts',
  'packages/harness/src/core/calls/tool-worker.ts',
]);

/** A tool under any name this code gives it, called by its handler. */
const call = /\b(?:tool|tools\[[^\]]*\]|registered\.tool)\s*\??\.\s*run\s*(?:\?\.)?\(/;

export interface HandlerCall {
  path: string;
  line: number;
}

export function findHandlerCalls(files: readonly SourceFile[]): HandlerCall[] {
  return files
    .filter(
      ({ path }) =>
        path.startsWith('packages/harness/src/') && path.endsWith('.ts') && !handlerRunners.has(path),
    )
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((source, at) => (call.test(source) ? [{ path, line: at + 1 }] : [])),
    );
}
