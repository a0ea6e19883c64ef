// What a server prints when it has started.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { resolveHome, version } from '../../app/home.ts';
import type { Yard } from '../../app.ts';
import type { Call } from '../command-line/arguments.ts';
import { program } from '../terminal/program.ts';
import type { TextWriter } from '../terminal/terminal.ts';

export interface BannerFacts {
  url: string;
  /** Logs a browser in; absent when the server runs in the background. */
  loginUrl?: string | undefined;
}

export const linkMinutes = 10;

export function toBanner(call: Call, yard: Yard, { url, loginUrl }: BannerFacts): string {
  const { env, flags } = call;
  const { out } = call.terminal;
  const home = resolveHome(env);
  const rows: [string, string][] = [
    ...(loginUrl ? toPageRows(out, loginUrl) : []),
    ['home', shorten(home)],
    ['token', env.TOOLYARD_TOKEN ? 'from TOOLYARD_TOKEN' : shorten(join(home, 'token'))],
    ...toModelRows(yard, flags.has('rehearse')),
    ...(flags.has('trace') ? [['traces', shorten(join(home, 'traces'))] satisfies [string, string]] : []),
    ['try', `${out.paint('bold', `${program} run "ping the server"`)}   in a second terminal`],
  ];
  return `Toolyard ${version} listens at ${out.paint('bold', url)}\n\n${toRows(out, rows)}\n`;
}

function toPageRows(out: TextWriter, loginUrl: string): [string, string][] {
  return [
    ['page', out.paint('bold', loginUrl)],
    [
      '',
      `Open it in a browser to log in. It works once, within ${linkMinutes} minutes. For a new link: ${program} login`,
    ],
  ];
}

function toModelRows({ rehearsing, config }: Yard, asked: boolean): [string, string][] {
  if (!rehearsing) return [['model', config.defaults.model]];
  const why = asked
    ? 'rehearsal, because of --rehearse: a built-in script answers.'
    : 'rehearsal: no key or login was found, so a built-in script answers instead of a model.';
  return [
    ['model', why],
    ['', 'It is free and nothing leaves this machine, but it only knows its script.'],
    [
      '',
      asked
        ? 'Start without --rehearse for a real model.'
        : 'For a real model, set ANTHROPIC_API_KEY, or log in with `claude`, then start again.',
    ],
  ];
}

function toRows(writer: TextWriter, rows: readonly [string, string][]): string {
  return rows.map(([name, text]) => `  ${writer.paint('dim', name.padEnd(6))} ${text}\n`).join('');
}

function shorten(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
