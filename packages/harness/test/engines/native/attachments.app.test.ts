// Images and files by every wire: what a provider takes reaches it byte for byte, in the shape that its service checks;
// what it does not take becomes a word, so that the conversation goes on.
import { type ContentPart, readBase64Text } from '@toolyard/sdk';
import { createJournal, createRecordingHost } from '@toolyard/sdk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { createNativeEngine } from '../../../src/engines/native/engine.ts';
import { scenarioPaths } from '../../../src/rehearsal/scenarios/load-scenario.ts';
import { serveRehearsal } from '../../../src/rehearsal/serve.ts';
import { image, pdf, textFile } from '../../support/images.ts';
import { accessTo, spec } from './native-turn.ts';
import { serveDouble } from './wires/double.ts';
import { doubledProviders } from './wires/providers.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function serve(name: string) {
  const provider = doubledProviders[name];
  if (!provider) {
    const { url, close } = await serveRehearsal();
    closing.push(close);
    return { access: accessTo({ baseUrl: url }), model: 'anthropic/m', complaints: [], requests: undefined };
  }
  const { url, close, complaints, requests } = await serveDouble(provider.wire, scenarioPaths.default);
  closing.push(close);
  const access = accessTo({ baseUrl: url, ...provider.granted });
  return { access, model: provider.model, complaints, requests };
}

/** Sends it with a word, and gives the model's answer: the script says what it was sent. */
async function send(name: string, part: ContentPart) {
  const { access, model, complaints, requests } = await serve(name);
  const journal = createJournal();
  const session = await createNativeEngine({ access }).start({ ...spec, model });
  const host = createRecordingHost({ journal });
  const content = [part, { type: 'text' as const, text: 'look' }];
  const outcome = await session.prompt({ kind: 'message', content }, host);
  const said = host.events.flatMap(({ type, data }) => (type === 'text_delta' ? [data.text] : [])).join('');
  const last = requests?.at(-1);
  return { outcome, complaints, said, sent: JSON.stringify(last), journal };
}

const images = (['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const).map(image);
const names = ['anthropic', ...Object.keys(doubledProviders)];
const google = 'google';
const like = 'a server like OpenAI’s, without a key';

describe.each(names)('%s', (name) => {
  it.each(images.filter(({ mediaType }) => name !== google || mediaType !== 'image/gif'))(
    'is given $mediaType byte for byte',
    async (part) => {
      const { outcome, complaints, said, sent } = await send(name, part);
      expect([outcome, complaints]).toEqual([{ outcome: 'completed' }, []]);
      expect(said).toContain(`You sent [image, 1 kB ${part.mediaType.slice(6)}]. It arrived whole`);
      if (sent) expect(sent).toContain(part.data);
    },
  );

  it('is given a file of text as words, with its name', async () => {
    const part = textFile('# Überschrift\n日本 "quoted"');
    const { outcome, complaints, said, sent } = await send(name, part);
    expect([outcome, complaints]).toEqual([{ outcome: 'completed' }, []]);
    expect(said).toContain('You sent [file notes.md, 1 kB].');
    const words = JSON.stringify(`<file name="notes.md">\n${readBase64Text(part.data)}\n</file>`);
    if (sent) expect(sent).toContain(words);
  });
});

describe('a PDF', () => {
  it.each(names.filter((name) => name !== like))('is given to %s as a document', async (name) => {
    const { outcome, complaints, said, sent } = await send(name, pdf());
    expect([outcome, complaints]).toEqual([{ outcome: 'completed' }, []]);
    expect(said).toContain(`You sent [file ${name === google ? 'document' : 'report.pdf'}, 2 kB pdf].`);
    if (sent) expect(sent).toContain(pdf().data);
  });
});

describe('what a model cannot be given', () => {
  it.each([
    [google, image('image/gif'), '[An image (image/gif) is attached here, but you cannot read it.]'],
    [like, pdf(), '[The file report.pdf (application/pdf) is attached here, but you cannot read it.]'],
  ])('is a word to %s, and the conversation goes on', async (name, part, word) => {
    const { journal } = await send('anthropic', part);
    const { access, model, complaints, requests } = await serve(name);
    const session = await createNativeEngine({ access }).start({ ...spec, model, resume: journal.resume() });
    const host = createRecordingHost({ journal });
    const outcome = await session.prompt({ kind: 'message', content: 'go on' }, host);
    expect([outcome, complaints]).toEqual([{ outcome: 'completed' }, []]);
    expect(JSON.stringify(requests?.at(-1))).toContain(word);
    expect(JSON.stringify(requests?.at(-1))).not.toContain(part.data);
  });
});
