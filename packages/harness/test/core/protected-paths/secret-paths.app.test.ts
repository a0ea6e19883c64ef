import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { writeFiles } from '../../support/workspace.ts';
import { expectKinds, makeMachine } from './path-machine.ts';

describe('reading what is likely a secret', () => {
  test('asks, in the workspace and outside', () =>
    expectKinds('read', [
      ['.env', 'ask'],
      ['.ENV', 'ask'],
      ['.env.production', 'ask'],
      ['deploy/prod.env', 'ask'],
      ['.env.example.local', 'ask'],
      ['certs/server.pem', 'ask'],
      ['config/master.key', 'ask'],
      ['id_rsa', 'ask'],
      ['backup/id_ed25519.old', 'ask'],
      ['.npmrc', 'ask'],
      ['.netrc', 'ask'],
      ['store.p12', 'ask'],
      ['~/.ssh/config', 'ask'],
      ['~/.ssh', 'ask'],
      ['~/.aws/credentials', 'ask'],
      ['~/.kube/config', 'ask'],
      ['~/.docker/config.json', 'ask'],
      ['~/.git-credentials', 'ask'],
      ['~/.claude/.credentials.json', 'ask'],
      ['~/.bash_history', 'ask'],
      ['/etc/shadow', 'ask'],
      ['src/../.env', 'ask'],
      ['.env ', 'ask'],
      ['%2eenv', 'ask'],
      ['.env.example', 'inside'],
      ['.env.sample', 'inside'],
      ['.env.template', 'inside'],
      ['id_rsa.pub', 'inside'],
      ['src/environment.ts', 'inside'],
      ['src/secrets.ts', 'inside'],
      ['locales/en/auth.json', 'inside'],
      ['.docker/nginx.conf', 'inside'],
      ['.env/lib/python/site.py', 'inside'],
      ['keys.ts', 'inside'],
    ]));

  test('asks by what a link leads to, too', async () => {
    const { at, kindOf } = makeMachine();
    writeFiles(at('ws'), { '.env': 'KEY=1' });
    symlinkSync('.env', at('ws/settings.txt'));
    expect(await kindOf('settings.txt')).toBe('ask');
  });

  test('is no matter of writing', () =>
    expectKinds('write', [
      ['.env', 'inside'],
      ['certs/server.pem', 'inside'],
    ]));

  test('asks for a pattern that names one, and not for one that merely could fit', () =>
    expectKinds('read', [
      ['**/.env', 'ask'],
      ['.env*', 'ask'],
      ['**/*.pem', 'ask'],
      ['**/{main.ts,.env}', 'ask'],
      ['{a,{b,*.{md,p12}}}', 'ask'],
      ['.[e]nv', 'ask'],
      ['\\.env', 'ask'],
      ['~/.ssh/*', 'ask'],
      ['../**/id_rsa*', 'ask'],
      ['**/*', 'inside'],
      ['*', 'inside'],
      ['**/*.{ts,tsx,js,json}', 'inside'],
      ['src/**', 'inside'],
      ['app/[id]/page.tsx', 'inside'],
      ['../*.txt', 'outside'],
      ['{src,../other}/*', 'outside'],
      ['<user>/.toolyard/**', 'denied'],
      ['{src,<user>/.toolyard}/**', 'denied'],
      [`${'{a,b}'.repeat(12)}`, 'denied'],
    ]));

  test('the rule says what was recognised', async () => {
    const { judge } = makeMachine();
    expect([
      await judge('.env.local'),
      await judge('.git/hooks/x', 'write'),
      await judge('/dev/zero'),
    ]).toEqual([
      { kind: 'ask', rule: '.env.* is likely to hold secrets' },
      { kind: 'denied', rule: '.git is protected' },
      { kind: 'denied', rule: 'a device, pipe or process file' },
    ]);
  });
});
