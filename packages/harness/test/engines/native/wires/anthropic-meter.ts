// Anthropic's Messages with a meter: counts tokens, caches prefixes where it is told to, refuses what is longer than the
// window, and takes a thought back only if nothing before it has changed. What it answers, a test says.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody } from '../../../../src/rehearsal/request/read-body.ts';
import { invalid, Refusal, toErrorBody } from '../../../../src/rehearsal/request/refusal.ts';
import { parseMessagesRequest } from '../../../../src/rehearsal/request/request.ts';
import { frame } from '../model-server.ts';

const charactersPerToken = 1;
const smallestCached = 1_024;
/** How far back from a mark the service looks for what it has cached before. */
const lookBack = 20;
const maxMarks = 4;

export interface Metered {
  input: number;
  read: number;
  written: number;
  output: number;
}

export interface Meter extends AsyncDisposable {
  url: string;
  /** One for each answer. */
  metered: Metered[];
  refusals: string[];
}

export interface MeterOptions {
  window: number;
  /** The words of the answer, given the last block and all text before it. */
  answer(last: string, text: () => string): string | Called;
}

/** The answer is a call. */
export interface Called {
  id: string;
  name: string;
  input: object;
}

interface Block {
  text: string;
  isThought: boolean;
  signature: string;
  isMarked: boolean;
}

export async function serveMeter({ window, answer }: MeterOptions): Promise<Meter> {
  const cached = new Set<string>();
  const [metered, refusals]: [Metered[], string[]] = [[], []];
  const reply = (body: unknown): Refusal | Spoken => {
    const checked = parseMessagesRequest(body);
    if (checked instanceof Refusal) return checked;
    const blocks = toBlocks(Object(body));
    const prefixes = toPrefixes(blocks);
    if (prefixes instanceof Refusal) return prefixes;
    const { total } = prefixes;
    if (total > window) return invalid(`prompt is too long: ${total} tokens > ${window} maximum`);
    const cache = readCache(blocks, prefixes, cached);
    if (cache instanceof Refusal) return cache;
    const words = answer(blocks.at(-1)?.text ?? '', () => blocks.map(({ text }) => text).join('\n'));
    const usage = {
      ...cache,
      input: total - cache.read - cache.written,
      output: toTokens(JSON.stringify(words)),
    };
    return { words, signature: prefixes.last(), usage };
  };
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const answered = 'json' in body ? reply(body.json) : body;
    if (answered instanceof Refusal) {
      refusals.push(answered.message);
      response.writeHead(answered.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(toErrorBody(answered)));
      return;
    }
    metered.push(answered.usage);
    speak(response, answered);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    metered,
    refusals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Raw = Record<string, unknown>;

function toTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Tools, instructions, messages: the order in which they are read. */
function toBlocks({ tools = [], system = [], messages = [] }: Raw): Block[] {
  const blocks = [tools, system].flatMap((some) => (Array.isArray(some) ? some : []));
  const said = (Array.isArray(messages) ? messages : []).flatMap((message: Raw) => message.content);
  return [...blocks, ...said].map((block: Raw) => ({
    text:
      typeof block.text === 'string' ? block.text : JSON.stringify({ ...block, cache_control: undefined }),
    isThought: block.type === 'thinking',
    signature: String(block.signature ?? ''),
    isMarked: block.cache_control !== undefined,
  }));
}

interface Prefixes {
  total: number;
  /** Tokens up to and including a block. */
  tokens: number[];
  /** What stands for all up to and including a block. */
  key(at: number): string;
  last(): string;
}

function toPrefixes(blocks: readonly Block[]): Prefixes | Refusal {
  const chain = createHash('md5');
  const states: ReturnType<typeof createHash>[] = [];
  const tokens: number[] = [];
  let total = 0;
  const keep = Math.max(0, blocks.length - 200);
  for (const [at, { text, isThought, signature }] of blocks.entries()) {
    if (isThought && signature !== chain.copy().digest('hex'))
      return invalid(
        `block ${at}: thinking blocks can only be sent back when nothing before them has changed`,
      );
    if (!isThought) chain.update(text).update('\n');
    total += toTokens(text);
    tokens.push(total);
    if (at >= keep || at < 8) states[at] = chain.copy();
  }
  return {
    total,
    tokens,
    key: (at) => `${at} ${states[at]?.copy().digest('hex')}`,
    last: () => chain.copy().digest('hex'),
  };
}

/** Reads the longest prefix it knows, and writes down all up to the last mark. */
function readCache(
  blocks: readonly Block[],
  { tokens, key }: Prefixes,
  cached: Set<string>,
): { read: number; written: number } | Refusal {
  const marks = blocks.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
  if (marks.length > maxMarks)
    return invalid(`A maximum of ${maxMarks} blocks with cache_control may be provided`);
  const last = tokens[marks.at(-1) ?? -1] ?? 0;
  const candidates = marks.flatMap((mark) => Array.from({ length: lookBack + 1 }, (_, back) => mark - back));
  const hits = candidates.filter((at) => at >= 0 && cached.has(key(at))).map((at) => tokens[at] ?? 0);
  const read = Math.max(0, ...hits);
  for (const mark of marks) if ((tokens[mark] ?? 0) >= smallestCached) cached.add(key(mark));
  return last < smallestCached ? { read: 0, written: 0 } : { read, written: last - read };
}

interface Spoken {
  words: string | Called;
  signature: string;
  usage: Metered;
}

function speak(response: ServerResponse, { words, signature, usage }: Spoken): void {
  const counted = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.read,
    cache_creation_input_tokens: usage.written,
    output_tokens: 1,
  };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: counted,
  };
  const events = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature } },
    { type: 'content_block_stop', index: 0 },
    ...speakWords(words),
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: typeof words === 'string' ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: usage.output },
    },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.map(frame).join(''));
}

function speakWords(words: string | Called): ({ type: string } & Raw)[] {
  const place = { index: 1 };
  if (typeof words === 'string')
    return [
      { type: 'content_block_start', ...place, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', ...place, delta: { type: 'text_delta', text: words } },
    ];
  const { id, name, input } = words;
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
  return [
    { type: 'content_block_start', ...place, content_block: { type: 'tool_use', id, name, input: {} } },
    { type: 'content_block_delta', ...place, delta },
  ];
}
