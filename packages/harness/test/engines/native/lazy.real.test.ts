import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

/** Notes which libraries of providers are loaded, at which of its moments. */
const program = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  resolve(name, context, next) {
    const found = /^@ai-sdk\\/(anthropic|openai|google|openai-compatible)$/.exec(name);
    if (found) loaded.add(found[1]);
    return next(name, context);
  },
});
const { createNativeEngine } = await import('${root}/src/engines/native/engine.ts');
const { createRecordingHost } = await import('@toolyard/sdk/testing');
const settings = { key: 'K', address: 'A' };
const access = (name) => {
  const [provider, model] = name.split('/');
  return { provider, model, type: provider, baseUrl: 'http://127.0.0.1:1', apiKey: 'x', settings };
};
const engine = createNativeEngine({ access, retry: { attempts: 1 } });
const moments = [[...loaded]];
for (const model of ['google/a', 'openai/b', 'openai-chat/c', 'openai-compatible/d', 'anthropic/e']) {
  const spec = { sessionId: 's', model, instructions: '', cwd: '/', maxSteps: 1, tools: [], nativeTools: [] };
  const session = await engine.start(spec);
  await session.prompt({ kind: 'message', content: 'hi' }, createRecordingHost());
  moments.push([...loaded]);
}
console.log(JSON.stringify(moments));
`;

it('a provider’s library is loaded when its first model is used, and not before', async () => {
  const args = ['--conditions=toolyard-source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  expect(JSON.parse(stdout)).toEqual([
    [],
    ['google'],
    ['google', 'openai'],
    ['google', 'openai'],
    ['google', 'openai', 'openai-compatible'],
    ['google', 'openai', 'openai-compatible', 'anthropic'],
  ]);
});
