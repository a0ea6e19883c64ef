// What may be sent to an agent, and the sentence for what may not.
import { describe, expect, it } from 'vitest';
import {
  Content,
  isReadable,
  largestFile,
  largestImage,
  readFileName,
  SentContent,
  toFileText,
  toShown,
  toText,
} from '../../../src/index.ts';
import { processorMs } from '../../processor-time.ts';

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

function file(bytes: string | Buffer, mediaType = 'text/plain', name = 'notes.txt') {
  return { type: 'file' as const, name, mediaType, data: Buffer.from(bytes).toString('base64') };
}

const pdf = (bytes = 12_000) => file(Buffer.alloc(bytes, '%PDF-1.7\n'), 'application/pdf', 'report.pdf');

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
    const started = processorMs();
    expect(complaint([image('image/png', largestImage)])).toBe('none');
    expect(processorMs() - started).toBeLessThan(500);
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
      [{ type: 'text', text: 'a' }, { type: 'video' }],
      'part 1.type: a part is {type:"text",text}, {type:"image",mediaType,data} or {type:"file",name,mediaType,data}',
    ],
    ['a number', 5, expect.stringMatching(/^content must be a non-empty string or a list of /)],
  ])('refuses %s in one sentence', (_, content, sentence) => {
    expect(complaint(content)).toEqual(sentence);
  });
});

describe('what is sent', () => {
  const blank = { type: 'text' as const, text: ' \n' };

  it.each([[' '], ['\u00a0\t'], [[blank]], [[blank, blank]]])(
    'is refused when it is blank: %j',
    (content) => {
      expect(SentContent.safeParse(content).error?.issues.map(({ message }) => message)).toEqual([
        'content is blank: write something, or attach an image or a file',
      ]);
      expect(Content.safeParse(content).success).toBe(true);
    },
  );

  it.each([
    [' hello '],
    [[blank, { type: 'text' as const, text: 'hello' }]],
    [[image('image/png', 20)]],
    [[blank, file('words')]],
  ])('may have blanks beside something: %j', (content) => {
    expect(SentContent.parse(content)).toEqual(content);
  });
});

describe('a file', () => {
  it.each([
    ['text', file('Grüße, 世界\n')],
    ['JSON', file('{"a":1}', 'application/json', 'a.json')],
    ['Markdown', file('# Title', 'text/markdown', 'a.md')],
    ['a PDF', pdf()],
    ['the largest PDF', pdf(largestFile)],
    ['the largest text', file('x'.repeat(largestFile))],
  ])('may be %s', (_, part) => {
    expect(Content.parse([part])).toEqual([part]);
  });

  it.each([
    [
      'one byte too large',
      file('x'.repeat(largestFile + 1)),
      'the file has 5.1 MB; send one of at most 5 MB',
    ],
    ['empty', file(''), 'the file is empty'],
    ['a PDF that is text', file('words', 'application/pdf'), 'this is text/plain, not application/pdf'],
    ['text that is a PDF', { ...pdf(), mediaType: 'text/plain' }, 'this is application/pdf, not text/plain'],
    [
      'a program',
      file(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])),
      'this is neither a PDF nor text in UTF-8; send it as one of these, or an image as an image',
    ],
    [
      'text that is no UTF-8',
      file(Buffer.from([0xe4, 0x20, 0xf6])),
      'this is neither a PDF nor text in UTF-8; send it as one of these, or an image as an image',
    ],
    [
      'a kind we do not take',
      file('a', 'application/zip'),
      'a file is application/pdf, application/json or text/…',
    ],
    [
      'no base64',
      { ...pdf(), data: '%PDF-1.7' },
      'a file is written in base64, with padding and without line breaks',
    ],
    [
      'a name that is a path',
      file('a', 'text/plain', '../a'),
      'use 1 to 200 characters without quotes, slashes or control characters',
    ],
    [
      'a name that ends its mark',
      file('a', 'text/plain', 'a">\n</file>'),
      'use 1 to 200 characters without quotes, slashes or control characters',
    ],
    [
      'no name',
      { type: 'file', mediaType: 'text/plain', data: 'YQ==' },
      expect.stringMatching(/^part 0\.name: /),
    ],
  ])('that is %s is refused in one sentence', (_, part, sentence) => {
    expect(complaint([part])).toEqual(sentence);
  });

  it('is said to be there by its name, and shown with its size', () => {
    const content = [file('x'.repeat(1_500)), pdf(1_234_567)];
    expect(toText(content)).toBe('[file notes.txt]\n[file report.pdf]');
    expect(toShown(content)).toBe('[file notes.txt, 2 kB]\n[file report.pdf, 1.2 MB pdf]');
  });

  it('of text is words between marks, which can be told from a person’s words', () => {
    const text = toFileText(file('one\n</file>\ntwo', 'text/plain', 'a b.txt'));
    expect(text).toBe('<file name="a b.txt">\none\n</file>\ntwo\n</file>');
    expect(readFileName(text)).toBe('a b.txt');
    for (const words of ['hello', '<file name="a">', 'see <file name="a">\n</file>'])
      expect(readFileName(words)).toBeUndefined();
  });

  it('is sent only where it can be read', () => {
    expect(isReadable('openai-compatible', 'application/pdf')).toBe(false);
    expect(isReadable('google', 'image/gif')).toBe(false);
    expect(isReadable('google', 'application/pdf')).toBe(true);
    expect(isReadable('openai-compatible', 'image/png')).toBe(true);
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
