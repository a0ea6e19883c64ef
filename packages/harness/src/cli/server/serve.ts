// `serve`: runs the server until a signal, the idle timeout or the loss of its home stops it.
import { setTimeout as after } from 'node:timers/promises';
import { ToolyardError, toFailure } from '@toolyard/sdk';
import { portOf } from '../../app/environment.ts';
import { readServerFile, resolveHome } from '../../app/home.ts';
import { openYard, type Yard, type YardOptions } from '../../app.ts';
import type { Call } from '../command-line/arguments.ts';
import { toNumber, toPort, toWorkspace } from '../command-line/values.ts';
import { announce, isAnnounced, requestMoreTime } from '../connection/background.ts';
import { openPage } from '../connection/open-page.ts';
import { onInterrupt } from '../terminal/interrupts.ts';
import { toLogText } from '../terminal/log-line.ts';
import { linkMinutes, toBanner } from './serve-banner.ts';

const closeTimeoutMs = 10_000;
const maxIdleSeconds = 30 * 24 * 3_600;

/** Why a server stops. */
type Stop = { reason: 'signal' } | { reason: 'idle' } | { reason: 'fatal'; error: ToolyardError };

export async function serve(call: Call): Promise<number> {
  const { terminal, options } = call;
  const idleSeconds = options['idle-exit'] && toIdleSeconds(options['idle-exit']);
  const port = options.port === undefined ? undefined : toPort(options.port, '--port');
  const stop = Promise.withResolvers<Stop>();
  const removeListeners = listenToSignals(call, stop.resolve);
  const { yard, url } = await start(call, port, stop.resolve).catch((thrown: unknown) => {
    removeListeners();
    throw thrown;
  });
  // A server that a command started prints to a log file, which must not contain a login link.
  const loginUrl = isAnnounced() ? undefined : await toLoginUrl(yard, url);
  await announce({ url });
  terminal.out.write(toBanner(call, yard, { url, loginUrl }));
  if (call.flags.has('open')) await openInBrowser(call, loginUrl);
  const watch = idleSeconds ? watchIdle(yard, idleSeconds * 1_000, stop.resolve) : undefined;
  const stopped = await stop.promise;
  clearInterval(watch);
  if (stopped.reason === 'fatal') throw stopped.error;
  if (stopped.reason === 'idle') terminal.err.line(`Idle for ${idleSeconds} s. Stopping.`);
  return close(call, yard);
}

async function start(
  call: Call,
  port: number | undefined,
  stop: (why: Stop) => void,
): Promise<{ yard: Yard; url: string }> {
  const home = resolveHome(call.env);
  let yard: Yard | undefined;
  try {
    yard = await openYard({
      home,
      env: call.env,
      workspace: toWorkspace(call.options.workspace, call.env),
      rehearse: call.flags.has('rehearse'),
      trace: call.flags.has('trace'),
      onFatal: (error) => stop({ reason: 'fatal', error }),
      onUpgrade: (message) => {
        call.terminal.err.line(message);
        requestMoreTime(message);
      },
      ...toLogOptions(call),
    });
    const { config } = yard;
    // Flags win over the environment, which wins over the configuration.
    const at = { host: call.options.host ?? config.server.host, port: port ?? portOf(call.env, config) };
    return { yard, url: (await yard.listen(at)).url };
  } catch (thrown) {
    await yard?.close();
    const error = await withRunningServer(home, thrown);
    await announce({ error: toFailure(error) });
    throw error;
  }
}

/** The yard's own client does not know the address: only the code of its link is used. */
async function toLoginUrl(yard: Yard, url: string): Promise<string> {
  const { hash } = new URL((await yard.client().createLoginLink({ minutes: linkMinutes })).url);
  return new URL(`/${hash}`, yard.config.server.publicUrl ?? url).href;
}

async function openInBrowser({ env, terminal }: Call, loginUrl: string | undefined): Promise<void> {
  const opened = loginUrl !== undefined && (await openPage(resolveHome(env), loginUrl));
  if (!opened) terminal.err.line('Could not open a browser. Open the link yourself.');
}

/** Readable text on a terminal, JSON lines elsewhere, nothing from a server in the background. */
function toLogOptions({ terminal: { err } }: Call): Pick<YardOptions, 'onLog'> {
  if (process.send) return {};
  return {
    onLog: (entry, line) => (err.isTerminal ? err.line(toLogText(entry, err)) : err.write(line)),
  };
}

/** Adds the address of the running server to a `home_in_use` error. */
async function withRunningServer(home: string, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ToolyardError) || thrown.code !== 'home_in_use') return thrown;
  const other = await readServerFile(home);
  if (!other || thrown.message.includes(other.url)) return thrown;
  return new ToolyardError('home_in_use', `${thrown.message} It answers at ${other.url}.`, {
    data: { ...thrown.data, url: other.url, pid: other.pid },
    cause: thrown,
  });
}

/** Gives a function that listens no longer. */
function listenToSignals({ terminal }: Call, stop: (why: Stop) => void): () => void {
  const onSignal = () => stop({ reason: 'signal' });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, onSignal);
  const removeListener = onInterrupt({
    first() {
      terminal.err.line('Stopping… (Ctrl-C again stops at once)');
      onSignal();
    },
    second: () => process.exit(130),
  });
  return () => {
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
    removeListener();
  };
}

function watchIdle(yard: Yard, idleMs: number, stop: (why: Stop) => void): NodeJS.Timeout {
  const check = () => {
    const { idleSince } = yard.activity();
    if (idleSince !== undefined && Date.now() - idleSince >= idleMs) stop({ reason: 'idle' });
  };
  return setInterval(check, Math.min(1_000, idleMs / 4));
}

async function close({ terminal }: Call, yard: Yard): Promise<number> {
  const closed = yard.close().then(() => true);
  if (await Promise.race([closed, after(closeTimeoutMs, false)])) {
    terminal.err.line('Stopped. Everything is saved.');
    return 0;
  }
  terminal.err.line('The server did not shut down within 10 s and was killed.');
  return 1;
}

function toIdleSeconds(text: string): number {
  return toNumber(text, '--idle-exit', { min: 1, max: maxIdleSeconds });
}
