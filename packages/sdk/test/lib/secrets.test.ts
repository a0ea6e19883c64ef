import { expect, test } from 'vitest';
import { foldName, foldPath } from '../../src/lib/fold-name.ts';
import { findSecret, secretGlobs, secretPaths } from '../../src/lib/secrets.ts';
import { processorMs } from '../processor-time.ts';

test('spellings that some file system takes for one name fold into one', () => {
  const spellings = [
    '.git',
    '.GIT',
    '.git.',
    '.git ',
    ' .git',
    '.g\u200cit',
    '.ｇｉｔ',
    '.gıt',
    '.git::$DATA',
    '\ufeff.Git. .',
  ];
  expect(new Set(spellings.map(foldName))).toEqual(new Set(['.git']));
});

test('names that are others stay others', () => {
  expect(['.github', 'git', '.gіt', '.g.it'].map(foldName)).not.toContain('.git');
});

test('a path folds name by name, with separators of either kind', () => {
  expect(foldPath('C:\\Users//Me\\.GIT/Config')).toBe('c/users/me/.git/config');
});

test('a secret is known by the end of its path, and the pattern is told', () => {
  const paths = [
    '/a/.env',
    'a/.env.local',
    '.ssh',
    'x/.SSH/known_hosts',
    '~/.docker/config.json',
    'docker/config.json',
  ];
  expect(paths.map(findSecret)).toEqual([
    '.env',
    '.env.*',
    '.ssh/',
    '.ssh/',
    '.docker/config.json',
    undefined,
  ]);
});

test('what is written to be shown is no secret', () => {
  expect(['.env.example', 'id_rsa.pub', 'key.pem.sample', 'a.tfvars.dist'].map(findSecret)).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
});

test('every kind of secret is found by its own pattern, as a search would write it', () => {
  expect(secretPaths.filter((pattern) => findSecret(pattern) === undefined)).toEqual([]);
  expect(secretPaths.filter((pattern) => findSecret(`**/${pattern}`.toUpperCase()) === undefined)).toEqual(
    [],
  );
});

test('there is a glob for each, fit for a list that is cut at spaces, commas and braces', () => {
  expect(secretGlobs.length).toBe(secretPaths.length);
  expect(secretGlobs.filter((glob) => /[\s,{}]/.test(glob))).toEqual([]);
  expect(secretGlobs.filter((glob) => /^\.\[(eE|dD|sS)\]/.test(glob)).slice(0, 1)).toEqual(['.[eE][nN][vV]']);
});

test('no pattern of a hostile length takes long', () => {
  const started = processorMs();
  findSecret(`${'*'.repeat(50_000)}${'[a'.repeat(10_000)}${'.env'.repeat(10_000)}`);
  findSecret(`${'. '.repeat(100_000)}x`);
  findSecret(`service-account${'x'.repeat(100_000)}`);
  findSecret(`${'/client_secret'.repeat(10_000)}`);
  expect(processorMs() - started).toBeLessThan(500);
});
