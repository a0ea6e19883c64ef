// What the scripted model says in the tests of the page. Pure data.

/** `w1 w2 …`: whatever is missing or doubled shows. */
export function countWords(count: number): string {
  return Array.from({ length: count }, (_, index) => `w${index + 1}`).join(' ');
}

/** Links that pretend, and what nobody sees: an @ before the true host, letters of other scripts, hidden ones. */
export const oddLinks = [
  'https://good.example@evil.example/ is one,',
  '[https://good.example](https://good.example:secret@evil.example/) another,',
  '[a picture](https://good.example/\u202egpj.exe) a third,',
  '[apple.example](https://\u0430pple.example/) a fourth.',
  'Here is\u2800nothing.',
].join('\n\n');

/** How many words the slow answer has. */
export const slowWords = 240;

const markdown = [
  '## A heading',
  'Some **strong** words and `code`.',
  '```ts\nconst answer: number = 42;\n```',
  '| name | value |\n|---|---|\n| one | 1 |',
].join('\n\n');

/** Written from the right, as a model would; and a broken line in a cell, and a footnote of one word. */
const fromTheRight = [
  'שלום, this is mixed.',
  '## מרחב',
  '> ציטוט',
  '- אחד\n- two',
  '| שם | מספר |\n|---|---|\n| דנה | one<br>two |',
  'A foot[^1].\n\n[^1]: note',
].join('\n\n');

/** Far more than a screen, as many rows: whoever follows it has to scroll. */
export const manyParagraphs = 400;
const toParagraphs = (length: number) =>
  Array.from(
    { length },
    (_, index) =>
      `Paragraph ${index + 1} of a long answer, which goes on until it fills the view soon enough.`,
  ).join('\n\n');

/** H11: what would do harm if any of it were taken for more than words. */
export const hostileMarkup = [
  '<script>window.harmed = "script"</script>',
  '<img src="x" onerror="window.harmed = \'image\'">',
  '<svg onload="window.harmed = \'svg\'"><a href="javascript:window.harmed=\'svg link\'">svg</a></svg>',
  '<iframe srcdoc="<script>parent.harmed = 1</script>"></iframe>',
  '<style>body { display: none }</style>',
  '<form action="https://evil.example/"><button>Allow once</button></form>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '[a link](javascript:window.harmed="link") [another](data:text/html,<script>1</script>)',
  '![remote](https://evil.example/pixel.png) ![inline](data:image/svg+xml,<svg/>)',
].join('\n\n');

/** A1 to A3, in the fields of one call. */
export const hiddenInput = {
  to: 'bob\u001b[2K\u001b]8;;https://evil.example\u0007\rmallory\b',
  note: `${' '.repeat(5_000)}${'line\n'.repeat(299)}the payload on line 300`,
  account: '12\u202e34\u200b56\u{e0041}',
};

const call = (tool: string, input: unknown = {}) => ({ call: { tool: `mcp__desk__${tool}`, input } });
const say = (text: string) => [{ text }];

export const scenario = {
  rules: [
    { when: { results: { isError: true, contains: 'did not allow' } }, reply: say('So it was not done.') },
    { when: { results: { isError: true } }, reply: say('That went wrong: {{result}}') },
    { when: { results: { tool: 'mcp__desk__pay' } }, reply: say('Paid {{result.paid}}.') },
    { when: { step: { min: 1 } }, reply: say('Looked at it.') },
    // First: after a turn that failed, the model hears both messages as one.
    { when: { user: 'are you back' }, reply: say('I am back.') },
    { when: { images: true }, reply: say('I see {{images}}') },
    { when: { user: 'pay with hidden words' }, reply: [call('pay', hiddenInput)] },
    { when: { user: 'pay {who}' }, reply: [call('pay', { to: '{{who}}', note: 'for tea' })] },
    { when: { user: 'note {what}' }, reply: [call('note', { text: '{{what}}' })] },
    {
      when: { user: 'look at both' },
      reply: [...say('I look at both.'), call('look', { at: 'tea' }), call('look', { at: 'coffee' })],
    },
    { when: { user: 'flood' }, reply: [call('flood')] },
    { when: { user: 'odd links' }, reply: say(oddLinks) },
    { when: { user: 'from the right' }, reply: say(fromTheRight) },
    { when: { user: 'hostile output' }, reply: [call('markup')] },
    { when: { user: 'hostile words' }, reply: say(hostileMarkup) },
    { when: { user: 'markdown' }, reply: [{ thinking: 'They want to see Markdown.' }, { text: markdown }] },
    {
      when: { user: 'count slowly' },
      pace: { chunkChars: 12, delayMs: 30 },
      reply: say(countWords(slowWords)),
    },
    {
      when: { user: 'many paragraphs' },
      pace: { chunkChars: 1_200, delayMs: 100 },
      reply: say(toParagraphs(manyParagraphs)),
    },
    // Half a minute: whatever a test does meanwhile, it goes on.
    {
      when: { user: 'endless paragraphs' },
      pace: { chunkChars: 1_200, delayMs: 200 },
      reply: say(toParagraphs(2_000)),
    },
    {
      when: { user: 'twelve looks' },
      reply: Array.from({ length: 12 }, (_, index) => call('look', { at: `place ${index + 1}` })),
    },
    { when: { user: 'never end' }, pace: { chunkChars: 6, delayMs: 100 }, reply: say(countWords(9_000)) },
    { when: { user: 'fail' }, fail: { status: 401, message: 'the key is wrong' } },
    { reply: say('You said: {{user}}') },
  ],
};
