// `login`: a link that logs a browser in.
import { resolveHome } from '../../app/home.ts';
import type { Call } from '../command-line/arguments.ts';
import { openPage } from '../connection/open-page.ts';
import { createServerLink } from '../connection/server-link.ts';

export async function login(call: Call): Promise<number> {
  const { out, err } = call.terminal;
  const server = await createServerLink(call);
  const created = await server.ask((client) => client.createLoginLink());
  // The only text on stdout, so that a script can read it.
  out.line(call.flags.has('json') ? JSON.stringify(created) : created.url);
  if (!call.flags.has('json')) err.line('Open the link in a browser. It works once, within a minute.');
  if (call.flags.has('open') && !(await openPage(resolveHome(call.env), created.url))) {
    err.line('Could not open a browser. Open the link yourself.');
    return 1;
  }
  return 0;
}
