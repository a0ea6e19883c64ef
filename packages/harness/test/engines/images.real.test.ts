// Both engines hand images and files to the model byte for byte, and still have them in the next turn and after a restart.
import type { Content, Engine, EngineSpec } from '@toolyard/sdk';
import { createJournal, createRecordingHost } from '@toolyard/sdk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { scenarioPaths } from '../../src/rehearsal/scenarios/load-scenario.ts';
import { pdf, pixel, png, textFile } from '../support/images.ts';
import { openClaudeWorld } from './claude/claude-world.ts';
import { type ModelServer, say, serveModel } from './native/model-server.ts';
import { engineOn, spec } from './native/native-turn.ts';

const closing: (() => PromiseLike<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

interface World {
  engine: Engine;
  server: ModelServer;
  spec: EngineSpec;
}

const worlds: Record<string, () => Promise<World>> = {
  async native() {
    const server = await open();
    return { server, engine: engineOn(server), spec };
  },
  async claude() {
    const server = await open();
    const access = async () => ({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test' });
    const world = await openClaudeWorld(scenarioPaths.default, { access });
    closing.push(world.close);
    return { server, engine: world.engine, spec: { ...spec, cwd: world.cwd } };
  },
};

async function open(): Promise<ModelServer> {
  const server = await serveModel(say('I see.'));
  closing.push(() => server[Symbol.asyncDispose]());
  return server;
}

const notes = textFile('/clear\nLine two');
const question: Content = [pixel, pdf(), notes, { type: 'text', text: 'what is this?' }];

/** The images and files of a request, in order. */
function attachedTo(request: Record<string, unknown> | undefined): unknown[] {
  const messages = (request?.messages ?? []) as { content: unknown }[];
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.flatMap(({ type, source, title, text }) => {
    if (type === 'image') return [source];
    if (type === 'document') return [{ title, source }];
    return type === 'text' && text.startsWith('<file') ? [text] : [];
  });
}

const wirePixel = { type: 'base64', media_type: 'image/png', data: pixel.data };
const wirePdf = {
  title: 'report.pdf',
  source: { type: 'base64', media_type: 'application/pdf', data: pdf().data },
};
const attached = [wirePixel, wirePdf, '<file name="notes.md">\n/clear\nLine two\n</file>'];

describe.each(Object.keys(worlds))('an image, a PDF and text with the %s engine', (name) => {
  it('reach the model byte for byte, in that turn, the next and after a restart', {
    timeout: 60_000,
  }, async () => {
    const { engine, server, spec } = (await worlds[name]?.()) ?? expect.unreachable();
    const journal = createJournal();
    const session = await engine.start(spec);
    expect(
      await session.prompt({ kind: 'message', content: question }, createRecordingHost({ journal })),
    ).toMatchObject({
      outcome: 'completed',
    });
    expect(attachedTo(server.requests.at(-1))).toEqual(attached);
    await session.prompt({ kind: 'message', content: 'and now?' }, createRecordingHost({ journal }));
    expect(attachedTo(server.requests.at(-1))).toEqual(attached);
    await session.close();

    const resumed = await engine.start({ ...spec, resume: journal.resume() });
    await resumed.prompt({ kind: 'message', content: 'still there?' }, createRecordingHost());
    expect(attachedTo(server.requests.at(-1))).toEqual(attached);
    await resumed.close();
  });
});

describe('a large image', () => {
  it('reaches the model whole through the native engine', async () => {
    const { engine, server, spec } = (await worlds.native?.()) ?? expect.unreachable();
    const session = await engine.start(spec);
    const large = png(5 * 1024 * 1024);
    await session.prompt({ kind: 'message', content: [large] }, createRecordingHost());
    expect(attachedTo(server.requests.at(-1))).toEqual([{ ...wirePixel, data: large.data }]);
  });
});
