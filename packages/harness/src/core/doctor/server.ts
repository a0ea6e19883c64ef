// The server of the home: does it answer, who holds the home, and where does it listen?
import { hostname } from 'node:os';
import { type Health, ToolyardError } from '@toolyard/sdk';
import { readServerFile, type ServerFile } from '../files/home.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import type { DatabaseFacts, DoctorProbes } from './probes.ts';

const loopback = ['127.0.0.1', '::1', 'localhost'];
const minTokenLength = 16;

/** What the file of the server says, and what the server does. */
export interface ServerFacts {
  file?: ServerFile;
  health?: Health;
}

export async function findServer({ home, askHealth }: DoctorProbes): Promise<ServerFacts> {
  const file = await readServerFile(home);
  if (!file) return {};
  const health = await askHealth(file.url).catch(() => undefined);
  return { file, ...(health && { health }) };
}

export async function checkServer(
  { admitsCookie }: Pick<DoctorProbes, 'admitsCookie'>,
  { file, health }: ServerFacts,
): Promise<Finding> {
  if (!file) return ok('server', 'not running; commands start it when they need it');
  if (health && (await admitsCookie(file.url)))
    return fail(
      'server',
      `${file.url} lets a cookie in, which every port of this computer sees`,
      'Report it.',
    );
  if (health) return ok('server', `${health.version} at ${file.url}, pid ${health.pid}`);
  const message = `the server started at ${file.url} (pid ${file.pid}) does not answer`;
  return warn('server', message, 'The next start takes over automatically.');
}

/** Whose the home is, by the row in its database. */
export function checkLease(facts: DatabaseFacts | undefined, { health }: ServerFacts): Finding {
  const name = 'lease';
  const owner = facts?.owner;
  if (!owner?.held) return ok(name, 'the home is free');
  const who = owner.host === hostname() ? `process ${owner.pid}` : `process ${owner.pid} on ${owner.host}`;
  if (!owner.isAlive) {
    const message = `${who} owned the home and exited without releasing it`;
    return warn(name, message, 'The next start takes over automatically.');
  }
  if (health || owner.pid === process.pid) return ok(name, `${who} owns the home`);
  const fix = `Check it: ps -p ${owner.pid}. You can kill a server that hangs; nothing that it acknowledged is lost.`;
  return warn(name, `${who} owns the home, but no server answers`, fix);
}

/** Where the server listens, or would. */
export async function checkAddress(probes: DoctorProbes, { file, health }: ServerFacts): Promise<Finding> {
  const name = 'address';
  const { env } = probes;
  const config = await probes.readConfig().catch(() => undefined);
  if (!config) return ok(name, 'not checked: the configuration cannot be read');
  // One that runs may have been told otherwise when it was started.
  const running = health && file && new URL(file.url);
  const host = running ? running.hostname.replace(/^\[|\]$/g, '') : config.config.server.host;
  const wanted = env.TOOLYARD_PORT === undefined ? config.config.server.port : Number(env.TOOLYARD_PORT);
  const port = running ? Number(running.port) : wanted;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return fail(name, `TOOLYARD_PORT is "${env.TOOLYARD_PORT}"`, 'Use a number from 0 to 65535.');
  }
  const isOpen = !loopback.includes(host);
  if (isOpen) return checkOpenAddress(`${host}:${port}`, env.TOOLYARD_TOKEN);
  const other = health || port === 0 ? undefined : await probes.findPortOwner(host, port);
  if (other) {
    const fix = 'Stop it, or choose another port with server.port or --port.';
    return warn(name, `port ${port} is in use by ${other}`, fix);
  }
  return ok(name, `${host}:${port}, for this machine only`);
}

function checkOpenAddress(where: string, token: string | undefined): Finding {
  const name = 'address';
  const exposure = `${where} accepts other machines`;
  const how = 'Set TOOLYARD_TOKEN to a long secret, or server.host to 127.0.0.1.';
  if (!token) return fail(name, `${exposure}, and without TOOLYARD_TOKEN the server does not start`, how);
  if (token.length < minTokenLength)
    return warn(name, `${exposure}, and TOOLYARD_TOKEN is short enough to guess`, how);
  const fix =
    'Set server.host to 127.0.0.1. To reach it from other machines, put a TLS proxy in front of it and set server.publicUrl (docs/proxy.md).';
  return warn(name, `${exposure}, and the traffic is not encrypted`, fix);
}

/** Whether the address of the proxy leads to this server, as the page would come by it. Nothing without a proxy. */
export async function checkProxy(probes: DoctorProbes, { health }: ServerFacts): Promise<Finding[]> {
  const name = 'proxy';
  const publicUrl = (await probes.readConfig().catch(() => undefined))?.config.server.publicUrl;
  if (publicUrl === undefined) return [];
  if (!health) return [ok(name, `${publicUrl}, not checked: the server is not running`)];
  try {
    const found = await probes.askHealth(publicUrl, publicUrl);
    if (found.pid === health.pid) return [ok(name, `${publicUrl} leads to this server`)];
    const fix = 'Let the proxy pass everything on to the address of this server (docs/proxy.md).';
    return [warn(name, `${publicUrl} leads to another Toolyard server, pid ${found.pid}`, fix)];
  } catch (thrown) {
    return [toProxyProblem(publicUrl, thrown)];
  }
}

function toProxyProblem(publicUrl: string, thrown: unknown): Finding {
  const name = 'proxy';
  const code = thrown instanceof ToolyardError ? thrown.code : undefined;
  if (code === 'forbidden_host') {
    return warn(name, `the server does not know ${publicUrl} yet`, 'Restart the server.');
  }
  if (code === 'forbidden_origin') {
    const fix = 'Let the proxy pass on the Host header that it gets (docs/proxy.md).';
    return warn(name, `${publicUrl} leads to this server, but under another Host`, fix);
  }
  const isSilent = code === 'server_unreachable';
  const what = isSilent
    ? 'does not answer, or its certificate is not trusted here'
    : 'answers, but not as Toolyard';
  return warn(name, `${publicUrl} ${what}`, `Check the proxy: curl -v ${publicUrl}/api/health`);
}
