import { describe, expect, it } from 'vitest';
import { PublicUrl } from '../../../src/protocol/config/public-url.ts';

describe('server.publicUrl', () => {
  it.each([
    'https://yard.example',
    'https://yard.example:8443',
    'http://localhost:8080',
    'http://[::1]:8080',
  ])('accepts %s', (url) => {
    expect(PublicUrl.parse(url)).toBe(url);
  });

  it.each([
    ['https://yard.example/', 'write it without the slash at the end: https://yard.example'],
    [
      'https://yard.example/yard',
      /at the root of its host, without a path; write https:\/\/yard\.example and/,
    ],
    ['https://yard.example?a=b', /without a path/],
    ['https://yard.example/#x', /without a path/],
    ['http://yard.example', /http is not encrypted.* write https:\/\/yard\.example and/],
    ['http://127.0.0.1.evil.example', /http is not encrypted/],
    ['https://*.yard.example', /a pattern is not accepted; name one host/],
    ['*', /a pattern is not accepted/],
    ['yard.example', /not an address of a website; write scheme and host/],
    ['', /not an address/],
    ['ftp://yard.example', /ftp: is not a protocol of browsers/],
    [
      'https://me:secret@yard.example',
      'a user name or password does not belong here; write https://yard.example',
    ],
    ['https://Yard.Example:443', 'write it as browsers do: https://yard.example'],
    ['https://bücher.example', 'write it as browsers do: https://xn--bcher-kva.example'],
    [' https://yard.example', /write it as browsers do/],
  ])('refuses %s in a sentence', (url, message) => {
    const issues = PublicUrl.safeParse(url).error?.issues ?? [];
    expect(issues).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
  });
});
