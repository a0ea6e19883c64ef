// A picture that the provider will not take fails one turn, not every turn to come.
import { createJournal, createRecordingHost } from '@toolyard/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pixel, png } from '../../../support/images.ts';
import { refuseAs, say, serveModel } from '../model-server.ts';
import { engineOn, failureOf, spec } from '../native-turn.ts';

const tooManyPixels = 'messages.0.content.0.image: image dimensions exceed max allowed size: 8000 pixels';

/** The data of the images in a request. */
function imagesOf(request: Record<string, unknown> | undefined): string[] {
  return [
    ...JSON.stringify(request).matchAll(/"type":"base64","media_type":"image\/png","data":"([^"]+)"/g),
  ].map(([, data]) => data ?? '');
}

async function open(...answers: Parameters<typeof serveModel>) {
  const server = await serveModel(...answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const journal = createJournal();
  const engine = engineOn(server);
  const session = await engine.start(spec);
  const ask = (content: Parameters<typeof session.prompt>[0] & { kind: 'message' }, from = session) =>
    from.prompt(content, createRecordingHost({ journal }));
  return { server, journal, engine, session, ask };
}

describe('a picture that the provider refuses', () => {
  it('is left out from there on, after a restart too, and one sentence says so', async () => {
    const { server, journal, engine, ask } = await open(
      say('I see.'),
      refuseAs(400, 'invalid_request_error', tooManyPixels),
      say('Go on.'),
    );
    await ask({ kind: 'message', content: [pixel, { type: 'text', text: 'small' }] });
    const large = png(100);
    const refused = await ask({ kind: 'message', content: [large, { type: 'text', text: 'large' }] });
    expect(failureOf(refused)).toEqual({
      code: 'provider_rejected',
      message: `The model’s provider could not read the attachment (400: ${tooManyPixels}). It is left out from now on. Send it smaller, in another format, or to a model that can read it.`,
    });
    expect(imagesOf(server.requests.at(-1))).toEqual([pixel.data, large.data]);

    expect(await ask({ kind: 'message', content: 'and now?' })).toEqual({ outcome: 'completed' });
    expect(imagesOf(server.requests.at(-1))).toEqual([pixel.data]);
    expect(JSON.stringify(server.requests.at(-1))).toContain(
      '[An image (image/png) was attached here. It could not be read and was left out.]',
    );
    const resumed = await engine.start({ ...spec, resume: journal.resume() });
    expect(await ask({ kind: 'message', content: 'still?' }, resumed)).toEqual({ outcome: 'completed' });
    expect(imagesOf(server.requests.at(-1))).toEqual([pixel.data]);
  });

  it('is followed by the one before it when that is refused too', async () => {
    const refusal = refuseAs(400, 'invalid_request_error', 'this model does not take images');
    const { server, ask } = await open(say('I see.'), refusal, refusal, say('Words, then.'));
    await ask({ kind: 'message', content: [pixel] });
    await ask({ kind: 'message', content: [png(100)] });
    await ask({ kind: 'message', content: 'again' });
    expect(await ask({ kind: 'message', content: 'and again' })).toEqual({ outcome: 'completed' });
    expect(imagesOf(server.requests.at(-1))).toEqual([]);
  });

  it('keeps its pictures when the fault is another', async () => {
    const { server, ask } = await open(
      refuseAs(400, 'invalid_request_error', 'max_tokens: too large'),
      say('I see.'),
    );
    const refused = await ask({ kind: 'message', content: [pixel] });
    expect(failureOf(refused).message).toContain('rejected the request');
    await ask({ kind: 'message', content: 'again' });
    expect(imagesOf(server.requests.at(-1))).toEqual([pixel.data]);
  });
});
