// The redactor: what it must hide, what it must leave, and that no text can make it slow.
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../../src/core/operator-log/redact.ts';
import { redactSecretPatterns } from '../../../src/core/operator-log/secret-patterns.ts';
import { processorMs } from '../../support/processor-time.ts';

const redact = createRedact(
  {
    GITHUB_TOKEN: 'plain words that nobody would guess',
    SIGNING_KEY: 'line one\nline "two"',
    ENCODED_SECRET: 'a b/c?d=e&f',
    PATH: '/usr/bin:/bin',
    SHORT_TOKEN: 'abc',
  },
  ['given-in-another-way'],
);

/** Built here, so that nobody's scanner takes this file for a leak. */
const fake = (start: string, length: number) => start + 'a1B2c3D4e5F6g7H8'.repeat(20).slice(0, length);

describe('by shape', () => {
  it.each([
    ['ours', fake('tyd_', 32)],
    ['Anthropic', fake('sk-ant-api03-', 80)],
    ['OpenAI', fake('sk-proj-', 48)],
    ['OpenAI, old', fake('sk-', 40)],
    ['OpenRouter', fake('sk-or-v1-', 60)],
    ['Google', fake('AIza', 35)],
    ['Google OAuth', fake('ya29.', 60)],
    ['xAI', fake('xai-', 60)],
    ['Groq', fake('gsk_', 48)],
    ['Hugging Face', fake('hf_', 34)],
    ['GitHub', fake('ghp_', 36)],
    ['GitHub, fine-grained', fake('github_pat_', 60)],
    ['GitLab', fake('glpat-', 20)],
    ['npm', fake('npm_', 36)],
    ['Slack', fake('xoxb-', 40)],
    ['Stripe', fake('sk_live_', 24)],
    ['AWS', `AKIA${'ABCDEFGH01234567'}`],
    ['a JSON Web Token', `${fake('eyJ', 40)}.${fake('eyJ', 60)}.${fake('', 43)}`],
    ['a private key', `-----BEGIN EC PRIVATE KEY-----\n${fake('', 60)}\n-----END EC PRIVATE KEY-----`],
    ['a private key without an end', `-----BEGIN PRIVATE KEY-----\n${fake('', 60)}`],
  ])('hides a key of %s, wherever it stands', (_, key) => {
    expect(redact(`(${key})`)).toMatch(/^\(\[redacted\]\)?$/);
    expect(redact({ text: [`use "${key}" now`] })).toEqual({
      text: [expect.stringMatching(/^use "\[redacted\]/)],
    });
    expect(JSON.stringify(redact(`x=${key}&y`))).not.toContain(key.slice(-12));
  });

  it.each([
    ['Authorization: Bearer abcdefgh', 'Authorization: [redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: [redacted]'],
    ['{"authorization":"Bearer abc.def"}', '{"authorization":"[redacted]"}'],
    ['curl -H "Authorization: Bearer abc" http://x', 'curl -H "Authorization: [redacted]" http://x'],
    ['sent Bearer 0123456789abcdefXYZ to it', 'sent Bearer [redacted] to it'],
    ['Cookie: toolyard=abc; other=def', 'Cookie: [redacted]'],
    ['set-cookie: sid=1; HttpOnly\nnext line', 'set-cookie: [redacted]\nnext line'],
    ['GET http://127.0.0.1:4242/login?code=Zm9v', 'GET http://127.0.0.1:4242/login?code=[redacted]'],
    [
      'https://h/v1beta/models?key=abc&alt=sse#access_token=def',
      'https://h/v1beta/models?key=[redacted]&alt=sse#access_token=[redacted]',
    ],
    ['postgres://me:hunter22@db:5432/x', 'postgres://[redacted]@db:5432/x'],
    ['ANTHROPIC_API_KEY=abcdefgh claude', 'ANTHROPIC_API_KEY=[redacted] claude'],
    ["MY_PASSWORD='abcdefgh'", "MY_PASSWORD='[redacted]'"],
    ['x-api-key: abcdefgh', 'x-api-key: [redacted]'],
    ['{\\"apiKey\\":\\"abcdefgh\\"}', '{\\"apiKey\\":\\"[redacted]\\"}'],
    ['password = hunter2222;', 'password = [redacted];'],
    ['Authorization: Custom abcdef123456 more\nnext', 'Authorization: [redacted]\nnext'],
    [
      'authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=fe5f80f77d5fa3be',
      'authorization: [redacted]',
    ],
    ['password: "a b c d e f g h" and', 'password: "[redacted]" and'],
    ['"passphrase": "it\'s \\"mine\\" alone", "x": 1', '"passphrase": "[redacted]", "x": 1'],
    ['{\\"password\\":\\"a b c d e\\",\\"x\\":1}', '{\\"password\\":\\"[redacted]\\",\\"x\\":1}'],
    ['https://user:p@ss@host/x?to=a@b', 'https://[redacted]@host/x?to=a@b'],
    ['[["authorization","Basic abcd"],["host","x"]]', '[["authorization","[redacted]"],["host","x"]]'],
    ['Server=db;Pwd=hunter22;', 'Server=db;Pwd=[redacted];'],
    ['use sk-proj-abcdefghijklmnop now', 'use [redacted] now'],
  ])('hides what stands where a secret belongs: %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it.each([
    'GET /api/sessions/ses_0000000000000000000001/events?after=12&limit=50',
    'risk-assessment-of-the-whole-thing sk-learn-based-pipelines',
    'max_tokens: 4096, inputTokens: 12000, a token budget of 900000',
    'https://example.com/a?page=2&sort=key#part ssh://git@example.com/x.git',
    'the key: value pairs; a secret is safe; Bearer of good news; Basic functionality',
    'PWD=/home/me/project OLDPWD=/home/me pwd: "./packages" pwd=C:\\Users\\me',
    'ENOSPC: no space left on device, write code=ENOSPC errno=-28',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  ])('leaves alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('by value', () => {
  it('hides a known secret as it is, in an address and in JSON', () => {
    expect(
      redact([
        'a plain words that nobody would guess b',
        'line one\nline "two"',
        JSON.stringify('line one\nline "two"'),
        'as words of an error: line one line "two"',
        'http://x/?q=a%20b%2Fc%3Fd%3De%26f',
        'given-in-another-way',
        'abc /usr/bin:/bin',
      ]),
    ).toEqual([
      'a [redacted] b',
      '[redacted]',
      '"[redacted]"',
      'as words of an error: [redacted]',
      'http://x/?q=[redacted]',
      '[redacted]',
      'abc /usr/bin:/bin',
    ]);
  });

  it('takes the value of a variable for a password, and none for a directory', () => {
    const known = createRedact({ DB_PWD: 'correct horse', PWD: '/home/me/yard', OLDPWD: '/home/me' });
    expect(known('correct horse in /home/me/yard')).toBe('[redacted] in /home/me/yard');
  });

  it('hides all of a secret that begins with another', () => {
    const both = createRedact({ A_TOKEN: 'abcdefgh', B_TOKEN: 'abcdefgh-and-more' });
    expect(both('abcdefgh-and-more abcdefgh')).toBe('[redacted] [redacted]');
  });
});

describe('by name', () => {
  it('hides it as a key and as the first of a pair', () => {
    expect(
      redact({
        headers: [
          ['Authorization', 'Basic abcd'],
          ['accept', '*/*'],
        ],
        login: { pwd: 'a b c', db_pwd: 'x', at: { pwd: '/home/me' } },
        words: ['A token is a word', 'and so is a secret'],
      }),
    ).toEqual({
      headers: [
        ['Authorization', '[redacted]'],
        ['accept', '*/*'],
      ],
      login: { pwd: '[redacted]', db_pwd: '[redacted]', at: { pwd: '/home/me' } },
      words: ['A token is a word', 'and so is a secret'],
    });
  });
});

describe('a hostile text', () => {
  const mega = 1_000_000;
  it.each([
    ['dashes', '-a'.repeat(mega / 2)],
    ['underscores', '_'.repeat(mega)],
    ['beginnings of keys', 'sk-'.repeat(mega / 3)],
    ['beginnings of tokens', '-eyJ'.repeat(mega / 4)],
    ['private keys that never end', '-----BEGIN PRIVATE KEY----- '.repeat(mega / 28)],
    ['addresses', 'a://:'.repeat(mega / 5)],
    ['question marks', '?token'.repeat(mega / 6)],
    ['spaces', ' '.repeat(mega)],
    ['quotes', 'token""""""'.repeat(mega / 11)],
    ['line breaks', '\n'.repeat(mega)],
    ['base64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo/+'.repeat(mega / 37)],
    ['values that never end', 'token="'.repeat(mega / 7)],
    ['one value that never ends', `token="${'a\\'.repeat(mega / 2)}`],
    ['pairs', 'authorization","'.repeat(mega / 16)],
    ['passwords', `://:${'@'.repeat(mega)}`],
    ['cookies', 'cookie:a'.repeat(mega / 8)],
  ])('of a megabyte takes no long time: %s', (_, text) => {
    const started = processorMs();
    redactSecretPatterns(text);
    expect(processorMs() - started).toBeLessThan(2_000);
  });
});
