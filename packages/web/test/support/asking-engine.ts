// An engine that asks its person what a message names, and says what it heard. For questions: the scripted model's
// engine has no tool that asks.
import type { Asked, Engine } from '@toolyard/sdk';

const kinds: Record<string, Asked> = {
  choose: {
    text: 'Which tea?',
    options: [{ label: 'Green', description: 'From the garden' }, { label: 'Black' }],
  },
  'choose any': {
    text: 'Which cups?',
    multiple: true,
    options: [{ label: 'Small' }, { label: 'Large' }, { label: 'Cracked' }],
  },
  'choose or say': {
    text: 'Milk or sugar?',
    ownWords: true,
    options: [{ label: 'Milk' }, { label: 'Sugar' }],
  },
  say: { text: 'For whom?', body: '## The plan\n\nTea for **two**.' },
  'leave plan': {
    text: 'Shall I begin?',
    options: [{ label: 'Begin', leavesPlanFor: 'acceptEdits' }, { label: 'Plan on' }],
  },
};

export const askingEngine: Engine = {
  id: 'asking',
  nativeTools: [],
  start: async () => ({
    async prompt(input, host) {
      const words = input.kind === 'message' && typeof input.content === 'string' ? input.content : '';
      const question = kinds[words];
      const heard = question ? JSON.stringify(await host.ask(question)) : words;
      if (host.signal.aborted) return { outcome: 'interrupted' };
      await host.emit({ type: 'text_delta', data: { text: `Heard: ${heard}` } });
      return { outcome: 'completed' };
    },
    close: async () => {},
  }),
};
