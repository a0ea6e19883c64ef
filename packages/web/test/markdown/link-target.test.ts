import { describe, expect, it } from 'vitest';
import { decodeEntities } from '../../src/markdown/entities.ts';
import { showsHost, toTarget } from '../../src/markdown/link-target.ts';

describe('the target of a link', () => {
  it('is there for the web and for mail', () => {
    expect(toTarget('https://example.com/a?b#c')).toEqual({
      href: 'https://example.com/a?b#c',
      host: 'example.com',
    });
    expect(toTarget('mailto:a@example.com')).toEqual({ href: 'mailto:a@example.com', host: 'a@example.com' });
  });

  it('is not there for anything else (H11)', () => {
    const others = [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,<script>',
      'blob:https://example.com/x',
      'file:///etc/passwd',
      '//example.com',
      '/api/sessions',
      'vbscript:x',
      'https://',
      '',
    ];
    expect(others.map(toTarget)).toEqual(others.map(() => undefined));
  });

  it('shows a look-alike host as what it is', () => {
    expect(toTarget('https://аpple.com/')?.host).toBe('xn--pple-43d.com');
  });

  it('is none when something was hidden in it: written out, it would lead elsewhere', () => {
    expect(toTarget('https://example.com/⟨U+202E⟩gpj')).toBeUndefined();
  });

  it('shows the true host of an address with a name before an @, whatever its text says', () => {
    const target = toTarget('https://good.example@evil.example/');
    expect(target).toEqual({
      href: 'https://good.example@evil.example/',
      host: 'evil.example',
      hasUser: true,
    });
    expect(target && showsHost('https://good.example@evil.example', target)).toBe(false);
  });

  it('is told by its own text only when that is the whole of it', () => {
    const target = toTarget('https://evil.example/login');
    const said = ['evil.example', 'https://evil.example/login', 'https://bank.example', 'bank', ''];
    expect(target && said.map((text) => showsHost(text, target))).toEqual([true, true, false, false, false]);
  });
});

describe('character references', () => {
  it('are written out when they are known, and stay when they are not', () => {
    expect(decodeEntities('&lt;b&gt; &amp; &#65;&#x42; &unknown; &')).toBe('<b> & AB &unknown; &');
  });
});
