// A writer: sends messages as fast as it is let, and remembers what it was promised. What it got no answer for it
// sends again after the restart, under the same key.
import { ToolyardError } from '@toolyard/sdk';
import { plans } from './crash-script.ts';
import type { Memory } from './history.ts';
import type { Random } from './random.ts';
import type { Ready } from './server-process.ts';

export interface Writer {
  /** Plays until it has sent `messages`, or the server goes away. */
  play(server: Ready, messages: number): Promise<void>;
}

export interface WriterOptions {
  name: string;
  random: Random;
  memory: Memory;
  /** Sessions that all writers share. */
  sessions: readonly string[];
  maxSessions: number;
  onSession(id: string): void;
}

interface Unanswered {
  sessionId: string;
  text: string;
}

export function createWriter(options: WriterOptions): Writer {
  const { name, random, memory, sessions, maxSessions, onSession } = options;
  const unanswered: Unanswered[] = [];
  let sent = 0;

  async function chooseSession({ client }: Ready): Promise<string> {
    const [first, ...rest] = sessions;
    if (first !== undefined && !(sessions.length < maxSessions && random.chance(0.3))) {
      return random.pick([first, ...rest]);
    }
    const { id } = await client.sessions.create({});
    memory.acks.push({ kind: 'session', sessionId: id });
    onSession(id);
    return id;
  }

  async function send({ client }: Ready, message: Unanswered): Promise<void> {
    const { sessionId, text } = message;
    const key = text.replaceAll(' ', '-');
    const { turnId, seq } = await client.sessions.send(sessionId, text, { idempotencyKey: key });
    memory.acks.push({ kind: 'message', sessionId, turnId, seq, text });
  }

  /** The turn as it happens; the message itself, first in the stream, is the promise. */
  async function stream({ client }: Ready, { sessionId, text }: Unanswered): Promise<void> {
    for await (const { type, data, seq } of client.sessions.stream(sessionId, text)) {
      if (type === 'user_message') {
        memory.acks.push({ kind: 'message', sessionId, turnId: data.turnId, seq, text });
      }
    }
  }

  async function retry({ client }: Ready, sessionId: string): Promise<void> {
    const accepted = await client.sessions.retry(sessionId).catch((thrown: unknown) => {
      if (!(thrown instanceof ToolyardError && thrown.code === 'nothing_to_retry')) throw thrown;
    });
    if (accepted) memory.acks.push({ kind: 'retry', sessionId, turnId: accepted.turnId });
  }

  async function step(server: Ready): Promise<void> {
    const again = unanswered.at(-1);
    if (again) {
      await send(server, again);
      unanswered.pop();
      return;
    }
    const sessionId = await chooseSession(server);
    if (random.chance(0.05)) return void (await server.client.sessions.interrupt(sessionId));
    if (random.chance(0.05)) return retry(server, sessionId);
    sent += 1;
    const message = { sessionId, text: `${random.pick(plans)} ${name}-${sent}` };
    if (random.chance(0.15)) return stream(server, message);
    unanswered.push(message);
    await send(server, message);
    unanswered.pop();
  }

  return {
    async play(server, messages) {
      try {
        for (let left = messages; left > 0; left -= 1) await step(server);
      } catch (thrown) {
        if (!isBroken(thrown)) memory.surprises.push(`${name}: ${thrown}`);
      }
    },
  };
}

/** The line broke before there was a whole answer. */
function isBroken(thrown: unknown): boolean {
  if (thrown instanceof ToolyardError) return thrown.code === 'server_unreachable';
  return thrown instanceof TypeError || thrown instanceof DOMException;
}
