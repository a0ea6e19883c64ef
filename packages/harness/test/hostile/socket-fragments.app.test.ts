// A frame in more pieces than anybody needs: its memory is bounded by their number, too, not only by their size.
import { describe, expect, it } from 'vitest';
import { listenAt } from '../http/raw-socket.ts';
import { openTestYard } from '../support/yard.ts';

describe('P11: a frame in pieces', () => {
  it('is taken whole when there are a few', async () => {
    const { open } = await listenAt(await openTestYard());
    const socket = await open();
    const pieces = ['{"type":"sub', 'scribe","re', 'f":"r"', '}'];
    for (const [at, piece] of pieces.entries()) socket.ws.send(piece, { fin: at === pieces.length - 1 });
    expect(await socket.find(({ type }) => type === 'ack')).toMatchObject({ ref: 'r' });
  });

  it('ends its own socket only when there are too many', async () => {
    const { open } = await listenAt(await openTestYard());
    const [socket, other] = [await open(), await open()];
    for (let piece = 0; piece < 20_000; piece++) socket.ws.send(' ', { fin: false });
    expect(await socket.ended).toMatchObject({ code: 1008 });
    expect(await other.ask({ type: 'subscribe' })).toMatchObject({ type: 'ack' });
  });
});
