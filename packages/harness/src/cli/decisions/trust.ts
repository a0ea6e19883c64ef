// `trust`: shows what a workspace's own files would allow, and trusts them when a person confirms.
import { ToolyardError, type TrustView } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toPath, toWorkspace } from '../command-line/values.ts';
import { createServerLink } from '../connection/server-link.ts';
import { type Terminal, type TextWriter, toLine } from '../terminal/terminal.ts';

export async function trust(call: Call): Promise<number> {
  const { terminal, words, env } = call;
  const { out, err } = terminal;
  const cwd = words[0] === undefined ? toWorkspace(undefined, env) : toPath(words[0], env);
  const link = await createServerLink(call);
  const view = await link.ask((client) => client.trust.look({ cwd }));
  const isJson = call.flags.has('json');
  if (!isJson && view.files.length > 0) writeView(err, view);
  if (!isJson) for (const sentence of view.ignored) err.line(toLine(sentence));
  if (view.problems.length > 0) throw new ToolyardError('untrusted', formatProblems(view));
  if (!view.trusted && view.files.length > 0) {
    if (!(await isConfirmed(terminal, view, call.flags.has('yes')))) {
      err.line('Not trusted. Nothing has changed.');
      return 1;
    }
    // With the hash of what was shown: files that changed meanwhile are refused.
    await link.ask((client) => client.trust.trust({ cwd, hash: view.hash }));
  }
  out.line(isJson ? JSON.stringify({ ...view, trusted: true }) : formatDone(view));
  return 0;
}

function writeView(writer: TextWriter, { workspace, files, widens, trusted }: TrustView): void {
  writer.line(
    `${writer.paint('bold', toLine(workspace))} ${trusted ? 'is trusted as it is.' : 'is not trusted.'}`,
  );
  for (const file of files) writer.line(`  ${writer.paint('dim', 'file')}  ${toLine(file)}`);
  writer.line(
    widens.length === 0
      ? 'Its files allow nothing more.'
      : trusted
        ? 'This allows:'
        : 'Trusting it would allow:',
  );
  for (const sentence of widens) writer.line(`  ${writer.paint('yellow', '!')} ${toLine(sentence)}`);
}

function formatProblems({ workspace, problems }: TrustView): string {
  return `${workspace} cannot be trusted as it is. ${problems.join(' ')}`;
}

function formatDone({ workspace, files, trusted }: TrustView): string {
  if (files.length === 0) return `${toLine(workspace)} has no files of its own to trust.`;
  return trusted
    ? 'Nothing to do.'
    : `Trusted ${toLine(workspace)} as it is now. When one of these files changes, trust it again.`;
}

/** Only a person's `y`, read after the question was shown, or `--yes`. */
async function isConfirmed({ keyboard, err }: Terminal, view: TrustView, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!keyboard) {
    const how = 'Review the files, then run the command again with --yes.';
    throw new ToolyardError('usage', `There is no terminal to ask at. ${how}`, { data: view });
  }
  const key = await keyboard.press({
    keys: 'yn\r\n',
    onReady: () => err.write('Trust it? y/N '),
    onOther() {},
    signal: new AbortController().signal,
  });
  err.line();
  return key === 'y';
}
