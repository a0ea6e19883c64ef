// `trust`: shows what trusting a workspace's own files would do, and does it when a person says so.
import { ToolyardError, type TrustView } from '@toolyard/sdk';
import type { Call } from '../command-line/arguments.ts';
import { toPath, toWorkspace } from '../command-line/values.ts';
import { createLink } from '../connection/link.ts';
import { program } from '../terminal/program.ts';
import { type Pen, type Terminal, toLine } from '../terminal/terminal.ts';

export async function trust(call: Call): Promise<number> {
  const { terminal, words, env } = call;
  const { out, err } = terminal;
  const cwd = words[0] === undefined ? toWorkspace(undefined, env) : toPath(words[0], env);
  const link = await createLink(call);
  const view = await link.ask((client) => client.trust.look({ cwd }));
  const isJson = call.flags.has('json');
  if (!isJson && view.files.length > 0) writeView(err, view);
  if (view.problems.length > 0) throw new ToolyardError('untrusted', sayProblems(view));
  if (!view.trusted && view.files.length > 0) {
    if (!(await isAgreed(terminal, view, call.flags.has('yes')))) {
      err.line('Not trusted. Nothing has changed.');
      return 1;
    }
    // With the hash of what was shown: files that changed meanwhile are refused.
    await link.ask((client) => client.trust.trust({ cwd, hash: view.hash }));
  }
  out.line(isJson ? JSON.stringify({ ...view, trusted: true }) : sayDone(view));
  return 0;
}

function writeView(pen: Pen, { workspace, files, widens, trusted }: TrustView): void {
  pen.line(`${pen.paint('bold', toLine(workspace))} ${trusted ? 'is trusted as it is.' : 'is not trusted.'}`);
  for (const file of files) pen.line(`  ${pen.paint('dim', 'file')}  ${toLine(file)}`);
  pen.line(
    widens.length === 0 ? 'Its files widen nothing.' : trusted ? 'That allows:' : 'Trusting it would allow:',
  );
  for (const sentence of widens) pen.line(`  ${pen.paint('yellow', '!')} ${toLine(sentence)}`);
}

function sayProblems({ workspace, problems }: TrustView): string {
  return `${workspace} cannot be trusted as it is. ${problems.join(' ')}`;
}

function sayDone({ workspace, files, trusted }: TrustView): string {
  if (files.length === 0) return `${toLine(workspace)} has no files of its own to trust.`;
  return trusted
    ? 'Nothing to do.'
    : `Trusted ${toLine(workspace)} as it is now. Any change to these files asks again.`;
}

/** Only a person's `y`, read after the question was shown, or `--yes`. */
async function isAgreed({ keyboard, err }: Terminal, view: TrustView, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!keyboard) {
    const how = `When you have looked at it, say so: ${program} trust --yes`;
    throw new ToolyardError('usage', `Nobody is here to be asked. ${how}`, { data: view });
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
