// What may be sent to an agent, and the sentence for what may not.
import { describe, expect, it } from 'vitest';
import { Content, largestImage, toShown, toText } from '../src/index.ts';

const starts = {
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/jpeg': '\xff\xd8\xff\xe0\x00\x10JFIF',
  'image/gif': 'GIF89a',
  'image/webp': 'RIFF\x24\x00\x00\x00WEBPVP8 ',
} as const;

/** Bytes that begin as the kind says and go on with zeros. */
function image(mediaType: keyof typeof starts, bytes = 12_000) {
  const data = Buffer.alloc(bytes);
  data.write(starts[mediaType], 'latin1');
  return { type: 'image' as const, mediaType, data: data.toString('base64') };
}

function complaint(content: unknown): string {
  const parsed = Content.safeParse(content);
  return parsed.success ? 'none' : parsed.error.issues.map(({ message }) => message).join(' ');
}

describe('content', () => {
  it.each(Object.keys(starts) as (keyof typeof starts)[])('takes %s among words', (mediaType) => {
    const content = [image(mediaType), { type: 'text' as const, text: 'what is this?' }];
    expect(Content.parse(content)).toEqual(content);
  });

  it('takes the largest image, and quickly', () => {
    const started = performance.now();
    expect(complaint([image('image/png', largestImage)])).toBe('none');
    expect(performance.now() - started).toBeLessThan(500);
  });

  it.each([
    [
      'one byte more',
      [image('image/png', largestImage + 1)],
      'the image has 5.1 MB; send one of at most 5 MB',
    ],
    ['7 MB', [image('image/png', 7 * 1024 * 1024)], 'the image has 7 MB; send one of at most 5 MB'],
    [
      'another kind than it says',
      [{ ...image('image/png'), mediaType: 'image/jpeg' }],
      'this is image/png, not image/jpeg',
    ],
    [
      'a page',
      [{ ...image('image/png'), data: Buffer.from('<svg onload=alert(1)>..').toString('base64') }],
      'this is no image we know, not image/png',
    ],
    [
      'SVG',
      [{ ...image('image/png'), mediaType: 'image/svg+xml' }],
      'part 0.mediaType: an image is image/png, image/jpeg, image/gif, image/webp',
    ],
    [
      'line breaks in the base64',
      [{ ...image('image/png'), data: image('image/png').data.replace(/.{76}/g, '$&\n') }],
      'an image is written in base64, with padding and without line breaks',
    ],
    [
      'base64 of the other alphabet',
      [{ ...image('image/png'), data: '_-_-' }],
      'an image is written in base64, with padding and without line breaks',
    ],
    [
      'base64 without padding',
      [{ ...image('image/png'), data: 'iVBORw0KGg' }],
      'an image is written in base64, with padding and without line breaks',
    ],
    [
      'an address in place of the image',
      [{ type: 'image', url: 'file:///etc/passwd' }],
      expect.stringMatching(/^part 0\./),
    ],
    [
      'a part of no kind',
      [{ type: 'text', text: 'a' }, { type: 'file' }],
      'part 1.type: a part is {type:"text",text} or {type:"image",mediaType,data}',
    ],
    ['a number', 5, expect.stringMatching(/^content must be a non-empty string or a list of /)],
  ])('refuses %s in one sentence', (_, content, sentence) => {
    expect(complaint(content)).toEqual(sentence);
  });
});

describe('an image in words', () => {
  const content = [
    image('image/png'),
    { type: 'text' as const, text: 'and' },
    image('image/webp', 1_234_567),
  ];

  it('is only said to be there in a title', () => {
    expect(toText(content)).toBe('[image]\nand\n[image]');
    expect(toText('words')).toBe('words');
  });

  it('is shown with its size and kind', () => {
    expect(toShown(content)).toBe('[image, 12 kB png]\nand\n[image, 1.2 MB webp]');
    expect(toShown([image('image/gif', 60)])).toBe('[image, 1 kB gif]');
  });
});
