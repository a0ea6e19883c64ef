// What a session has sent lately, so that a client of the older protocol whose line broke can pick up its answer. Bounded:
// a client that comes back too late asks again.
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

const maxEvents = 200;
const maxChars = 1_048_576;

interface Sent {
  streamId: string;
  message: JSONRPCMessage;
  chars: number;
}

export function createReplay(): Required<EventStore> {
  const sent = new Map<string, Sent>();
  let count = 0;
  let chars = 0;

  function forgetOldest(): void {
    for (const [id, each] of sent) {
      if (sent.size <= maxEvents && chars <= maxChars) return;
      sent.delete(id);
      chars -= each.chars;
    }
  }

  return {
    async storeEvent(streamId, message) {
      const id = String(++count);
      const event = { streamId, message, chars: JSON.stringify(message).length };
      sent.set(id, event);
      chars += event.chars;
      forgetOldest();
      return id;
    },

    getStreamIdForEventId: async (id) => sent.get(id)?.streamId,

    async replayEventsAfter(lastId, { send }) {
      const streamId = sent.get(lastId)?.streamId;
      if (streamId === undefined) throw new Error(`event ${lastId} is no longer kept`);
      for (const [id, each] of sent) {
        if (each.streamId === streamId && Number(id) > Number(lastId) && isMessage(each))
          await send(id, each.message);
      }
      return streamId;
    },
  };
}

/** The first event of a stream says nothing but its number. */
function isMessage({ message }: Sent): boolean {
  return 'jsonrpc' in message;
}
