// A server's side of a WebSocket in memory: a test sees what the client sent and says what arrives.
import { pause, type ServerFrame, type SocketConstructor } from '../src/index.ts';

export interface FakeLine {
  url: string;
  protocols: readonly string[];
  /** What the client sent, parsed. */
  sent: Record<string, unknown>[];
  open(): void;
  /** Tells the client something; anything but a frame is sent as it is. */
  say(frame: ServerFrame | string): void;
  /** Ends the line as a server or a broken network would. */
  end(code?: number): void;
}

/** Lines in the order in which they were opened. */
export function createFakeSockets() {
  const lines: (FakeLine & { isClosed: boolean })[] = [];
  class FakeSocket {
    private readonly listeners = new Map<string, ((event: object) => void)[]>();
    private readonly line: FakeLine & { isClosed: boolean };

    constructor(url: string, protocols: string[]) {
      const tell = (type: string, event: object) => {
        for (const listener of this.listeners.get(type) ?? []) listener(event);
      };
      this.line = {
        url,
        protocols,
        sent: [],
        isClosed: false,
        open: () => tell('open', {}),
        say: (frame) => tell('message', { data: typeof frame === 'string' ? frame : JSON.stringify(frame) }),
        end: (code = 1006) => tell('close', { code }),
      };
      lines.push(this.line);
    }

    addEventListener(type: string, listener: (event: object) => void): void {
      this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
    }

    send(text: string): void {
      this.line.sent.push(JSON.parse(text));
    }

    close(): void {
      this.line.isClosed = true;
    }
  }
  const WebSocket: SocketConstructor = FakeSocket;
  return {
    lines,
    WebSocket,
    /** The newest line, as soon as there are so many. */
    async line(count: number): Promise<FakeLine & { isClosed: boolean }> {
      for (let tries = 0; tries < 500; tries++) {
        const found = lines[count - 1];
        if (found) return found;
        await pause(5);
      }
      throw new Error(`there are ${lines.length} lines, not ${count}`);
    },
  };
}
