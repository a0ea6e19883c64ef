import { describe, expect, it } from 'vitest';
import { checkHost, checkOrigin, isSentByPage, toOwnOrigin } from '../../../src/http/server/auth.ts';

describe('the Host check', () => {
  it.each([
    ['192.168.1.5', '192.168.1.5:4242'],
    ['my-box', 'MY-BOX:4242'],
    ['fd00::1', '[fd00::1]:4242'],
    ['FD00::1', '[fd00::1]'],
    ['0.0.0.0', 'localhost'],
  ])('accepts the address it listens on: %s for %s', (listenHost, host) => {
    expect(() => checkHost(host, { listenHost })).not.toThrow();
  });

  it.each([
    ['127.0.0.1', undefined],
    ['127.0.0.1', ''],
    ['', ''],
    ['', 'evil.com'],
    ['192.168.1.5', '192.168.1.6'],
    ['fd00::1', 'fd00::1'],
    ['fd00::1', '[fd00::2]'],
    ['my-box', 'my-box.evil.com'],
    ['my-box', 'my-box:'],
  ])('refuses every other: %s for %s', (listenHost, host) => {
    expect(() => checkHost(host, { listenHost })).toThrow(
      expect.objectContaining({ code: 'forbidden_host' }),
    );
  });

  it.each([
    ['https://yard.example', 'yard.example', true],
    ['https://yard.example', 'Yard.Example', true],
    ['https://yard.example:8443', 'yard.example:8443', true],
    ['https://yard.example', '127.0.0.1:4242', true],
    ['https://yard.example', 'yard.example:8443', false],
    ['https://yard.example:8443', 'yard.example', false],
    ['https://yard.example', 'a.yard.example', false],
    ['https://yard.example', 'yard.example.evil.com', false],
    ['https://yard.example', 'yard.example, evil.com', false],
  ])('behind a proxy at %s, Host %s: %s', (publicUrl, host, isAccepted) => {
    const check = () => checkHost(host, { listenHost: '127.0.0.1', publicUrl });
    if (isAccepted) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'forbidden_host' }));
  });
});

describe('the Origin check', () => {
  it('accepts the page the server itself serves, however the Host is written', () => {
    const page = { origin: 'http://localhost:4242', site: 'same-origin' };
    expect(() => checkOrigin(page, toOwnOrigin('LocalHost:4242', undefined))).not.toThrow();
  });

  it('says what to change when the proxy hides the Host that it was called by', () => {
    const publicUrl = 'https://yard.example';
    const page = { origin: publicUrl, site: 'same-origin' };
    expect(() => checkOrigin(page, toOwnOrigin('yard.example', publicUrl), publicUrl)).not.toThrow();
    expect(() => checkOrigin(page, toOwnOrigin('127.0.0.1:4242', publicUrl), publicUrl)).toThrow(
      /the Host is 127\.0\.0\.1:4242: let the proxy pass on/,
    );
  });
});

describe('whether our own page sent it', () => {
  const own = 'http://127.0.0.1:4242';
  it.each([
    [{ origin: own, site: undefined }, own, true],
    [{ origin: own, site: 'same-origin' }, own, true],
    // As browsers do when a page reads.
    [{ origin: undefined, site: 'same-origin' }, own, true],
    [{ origin: undefined, site: 'none' }, own, false],
    [{ origin: undefined, site: undefined }, own, false],
    [{ origin: 'http://127.0.0.1:4243', site: undefined }, own, false],
    [{ origin: 'http://localhost:4242', site: undefined }, own, false],
    [{ origin: undefined, site: undefined }, 'https://yard.example', false],
    // As browsers do when a page reads over plain http from another machine.
    [{ origin: undefined, site: undefined, via: 'web' }, 'http://192.168.1.5:4242', true],
    [{ origin: 'http://192.168.1.6', site: undefined, via: 'web' }, 'http://192.168.1.5:4242', false],
    [{ origin: undefined, site: undefined, via: 'cli' }, 'http://192.168.1.5:4242', false],
  ])('%j at %s: %s', (sender, at, isPage) => {
    expect(isSentByPage(sender, at)).toBe(isPage);
  });
});
