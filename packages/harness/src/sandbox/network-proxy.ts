// The only way out of a confined command: a proxy on a Unix socket that connects to hosts on a list. Names are looked up
// here, once, and one that leads into a private network is refused unless the list has that very address.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import { BlockList, connect, isIP, type Socket } from 'node:net';

const maxConnections = 256;
const connectTimeoutMs = 15_000;
const idleTimeoutMs = 300_000;
const defaultPort = 443;

/** Addresses that are nobody's on the internet: this computer, its network, and what is reserved. */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
])
  notPublic.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  notPublic.addSubnet(network, prefix, 'ipv6');

export interface NetworkProxy {
  close(): Promise<void>;
}

/** Listens at a path that no command can write to. */
export async function openNetworkProxy(path: string, hosts: readonly string[]): Promise<NetworkProxy> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());
  };
  const server = createServer((_, response) => {
    response.writeHead(403, { 'content-type': 'text/plain' });
    response.end('Toolyard lets commands reach hosts by https only.\n');
  });
  server.maxConnections = maxConnections;
  server.on('connection', track);
  server.on('connect', async (request, client: Socket, head) => {
    const target = parseTarget(request.url ?? '');
    const address = target && isAllowed(target, hosts) ? await findAddress(target.host) : undefined;
    if (!target || !address) return refuse(client, target?.host ?? request.url ?? '');
    const upstream = connect({ host: address, port: target.port, timeout: connectTimeoutMs });
    track(upstream);
    upstream.once('timeout', () => upstream.destroy());
    upstream.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(client: Socket, host: string): void {
  const words = `${host.slice(0, 200)} is not a host that commands may reach. Add it to workspace.network in the configuration of Toolyard.\n`;
  client.end(
    `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${words.length}\r\n\r\n${words}`,
  );
}

interface Target {
  host: string;
  port: number;
}

function parseTarget(text: string): Target | undefined {
  const [, host = '', port = ''] = /^\[?([^\s\]/@]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  return host && Number(port) > 0 && Number(port) < 65_536
    ? { host: host.toLowerCase().replace(/\.$/, ''), port: Number(port) }
    : undefined;
}

function isAllowed({ host, port }: Target, hosts: readonly string[]): boolean {
  return hosts.some((allowed) => {
    const { host: name, port: wanted } = parseTarget(allowed) ?? {
      host: allowed.toLowerCase(),
      port: defaultPort,
    };
    return wanted === port && (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name);
  });
}

/** An address that the list names itself is meant as it is. */
async function findAddress(host: string): Promise<string | undefined> {
  if (isIP(host)) return host;
  const found = await lookup(host, { all: true }).catch(() => []);
  const isPublic = found.every(
    ({ address, family }) => !notPublic.check(address, family === 6 ? 'ipv6' : 'ipv4'),
  );
  return isPublic ? found[0]?.address : undefined;
}

/** Inside: makes the socket look like a proxy on loopback, and ends with the command. */
export const forwarder = `import { connect, createServer } from 'node:net';
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(), 250);
createServer((client) => {
  const proxy = connect('/run/toolyard/proxy.sock');
  client.pipe(proxy).pipe(client);
  for (const [one, other] of [[client, proxy], [proxy, client]])
    one.on('error', () => {}).once('close', () => other.destroy());
}).listen(3128, '127.0.0.1', () => process.stdout.end('ready\\n'));
`;

export const proxyAddress = 'http://127.0.0.1:3128';
