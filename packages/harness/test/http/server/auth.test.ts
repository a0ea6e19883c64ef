import { describe, expect, it } from 'vitest';
import { checkHost, checkOrigin } from '../../../src/http/server/auth.ts';

describe('the Host check', () => {
  it.each([
    ['192.168.1.5', '192.168.1.5:4242'],
    ['my-box', 'MY-BOX:4242'],
    ['fd00::1', '[fd00::1]:4242'],
    ['FD00::1', '[fd00::1]'],
    ['0.0.0.0', 'localhost'],
  ])('accepts the address it listens on: %s for %s', (listenHost, host) => {
    expect(() => checkHost(host, listenHost)).not.toThrow();
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
    expect(() => checkHost(host, listenHost)).toThrow(expect.objectContaining({ code: 'forbidden_host' }));
  });
});

describe('the Origin check', () => {
  it('accepts the page the server itself serves, however the Host is written', () => {
    const page = { origin: 'http://localhost:4242', site: 'same-origin' };
    expect(() => checkOrigin(page, 'LocalHost:4242')).not.toThrow();
  });
});
