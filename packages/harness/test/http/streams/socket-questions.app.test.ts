// What an agent asks its person is heard and answered over the socket: once, by the first who does, with what was offered.
import type { Engine, ServerFrame } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { openTestYard } from '../../support/yard.ts';
import { listenAt } from '../raw-socket.ts';

/** Asks for a colour, and says what it heard. */
const asking: Engine = {
  id: 'asking',
  nativeTools: [],
  start: async () => ({
    async prompt(_, host) {
      const options = [{ label: 'Red' }, { label: 'Blue' }];
      const replied = await host.ask({ text: 'Which colour?', options });
      await host.emit({ type: 'text_delta', data: { text: JSON.stringify(replied) } });
      return { outcome: 'completed' };
    },
    close: async () => {},
  }),
};

const isOf = (type: string) => (frame: ServerFrame) => frame.type === 'event' && frame.event.type === type;

describe('a question over a socket', () => {
  it('P3: is answered once; the second hears that it was, and a wrong answer changes nothing', async () => {
    const yard = await openTestYard({ engine: asking });
    const { open } = await listenAt(yard);
    const [first, second] = [await open(), await open()];
    const { id: sessionId } = await yard.client().sessions.create();
    await first.ask({ type: 'subscribe', sessionId });
    await first.ask({ type: 'message', sessionId, content: 'paint it' });
    const { question } = Object(await first.find(isOf('question_required'))).event.data;
    const answer = { type: 'question', questionId: question.id };
    expect(await first.ask({ ...answer, answer: 'Green' })).toMatchObject({
      type: 'error',
      error: { code: 'invalid_request' },
    });
    expect(await first.ask({ ...answer, answer: 'Blue' })).toMatchObject({
      type: 'ack',
      question: { id: question.id, state: 'answered', answer: 'Blue' },
    });
    expect(await second.ask({ ...answer, answer: 'Red' })).toMatchObject({
      type: 'error',
      error: { code: 'already_answered' },
    });
    const end = Object(await first.find(isOf('turn_end'))).event;
    expect(end.data.outcome).toBe('completed');
    expect(Object(await first.find(isOf('question_resolved'))).event.data).toEqual({
      questionId: question.id,
      state: 'answered',
      answer: 'Blue',
    });
    expect(Object(await first.find(isOf('text_delta'))).event.data.text).toBe(
      '{"state":"answered","answer":"Blue"}',
    );
  });
});
