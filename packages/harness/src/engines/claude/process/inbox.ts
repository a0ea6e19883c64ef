// What goes into the CLI: one stream of user messages that stays open for the life of its process.
import { randomUUID } from 'node:crypto';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { type Content, type ContentPart, pdfType, toFileText } from '@toolyard/sdk';

type Block = Exclude<SDKUserMessage['message']['content'], string>[number];

export interface Inbox {
  readonly messages: AsyncIterable<SDKUserMessage>;
  /** Returns the id under which the transcript will know the message. */
  send(content: Content, uuid?: string): string;
  end(): void;
}

export function createInbox(): Inbox {
  const waiting: SDKUserMessage[] = [];
  let wake = Promise.withResolvers<void>();
  let ended = false;

  async function* read() {
    while (!ended) {
      const next = waiting.shift();
      if (next) yield next;
      else {
        await wake.promise;
        wake = Promise.withResolvers();
      }
    }
  }

  return {
    messages: read(),
    send(content, uuid = randomUUID()) {
      waiting.push(toUserMessage(content, uuid));
      wake.resolve();
      return uuid;
    },
    end() {
      ended = true;
      wake.resolve();
    },
  };
}

function toUserMessage(content: Content, uuid: string): SDKUserMessage {
  return {
    type: 'user',
    // Ids are made by randomUUID, here or before a restart.
    uuid: uuid as ReturnType<typeof randomUUID>,
    parent_tool_use_id: null,
    message: { role: 'user', content: typeof content === 'string' ? toWords(content) : content.map(toBlock) },
  };
}

/** A person's words are for the model: one that begins like a command of the CLI is none. */
function toWords(text: string): string {
  return text.startsWith('/') ? ` ${text}` : text;
}

function toBlock(part: ContentPart): Block {
  if (part.type === 'text') return { type: 'text', text: toWords(part.text) };
  if (part.type === 'image')
    return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
  if (part.mediaType !== pdfType) return { type: 'text', text: toFileText(part) };
  const source = { type: 'base64', media_type: pdfType, data: part.data } as const;
  return { type: 'document', title: part.name, source };
}
