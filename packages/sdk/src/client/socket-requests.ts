// What was asked over a socket and is not answered yet. After a break, what may be sent twice is sent again; of the rest
// nobody knows whether it arrived, and that is what its asker hears.
import { ToolyardError } from '../protocol/error.ts';
import type { ClientFrame, Ref, ServerFrame } from '../protocol/socket.ts';

export type Ack = Extract<ServerFrame, { type: 'ack' }>;

interface Request {
  text: string;
  isSent: boolean;
  isRepeatable: boolean;
  resolve(ack: Ack): void;
  reject(reason: ToolyardError): void;
}

export interface Requests {
  /** A name that no other request has. */
  newRef(): Ref;
  ask(frame: ClientFrame, sending: { isRepeatable: boolean }): Promise<Ack>;
  answered(ack: Ack): void;
  refused(ref: Ref | undefined, reason: ToolyardError): void;
  /** The line is open: sends what waits. */
  sendAll(): void;
  lost(): void;
  end(reason: ToolyardError): void;
}

export function createRequests(send: (text: string) => void, isOpen: () => boolean): Requests {
  const open = new Map<Ref, Request>();
  let refs = 0;
  let over: ToolyardError | undefined;

  function take(ref: Ref | undefined): Request | undefined {
    const request = ref === undefined ? undefined : open.get(ref);
    if (request && ref !== undefined) open.delete(ref);
    return request;
  }

  const newRef = () => `r${++refs}`;

  return {
    newRef,
    ask(frame, { isRepeatable }) {
      if (over) return Promise.reject(over);
      const ref = newRef();
      const { type, ...rest } = frame;
      // The name stands in front, where it is found even in a frame that is too large to read.
      const text = JSON.stringify({ type, ref, ...rest });
      return new Promise((resolve, reject) => {
        open.set(ref, { text, isSent: isOpen(), isRepeatable, resolve, reject });
        if (isOpen()) send(text);
      });
    },
    answered: (ack) => take(ack.ref)?.resolve(ack),
    refused: (ref, reason) => take(ref)?.reject(reason),
    sendAll() {
      for (const request of open.values()) {
        request.isSent = true;
        send(request.text);
      }
    },
    lost() {
      for (const [ref, { isSent, isRepeatable }] of [...open]) {
        if (isSent && !isRepeatable) take(ref)?.reject(connectionBroke());
      }
    },
    end(reason) {
      over = reason;
      for (const ref of [...open.keys()]) take(ref)?.reject(reason);
    },
  };
}

function connectionBroke(): ToolyardError {
  const message =
    'The connection was lost before the server answered. Check whether your request was accepted.';
  return new ToolyardError('server_unreachable', message);
}
