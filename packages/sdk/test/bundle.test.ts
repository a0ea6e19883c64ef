// Proves what an outsider gets: the SDK bundles for a browser with zod and nothing else.
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src/', import.meta.url));

/** Whose files got in, and what was left to import. */
async function bundle(input: string | Record<string, string>, plugins: Plugin[] = []) {
  const build = await rolldown({
    input,
    plugins,
    platform: 'browser',
    external: /^node:/,
    logLevel: 'silent',
  });
  const { output } = await build.generate({});
  await build.close();
  const chunks = output.filter((part) => part.type === 'chunk');
  const files = chunks.flatMap((chunk) => chunk.moduleIds);
  const foreign = files.filter((file) => !file.startsWith(src) && !file.startsWith('\0'));
  const owners = foreign.map((file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? file);
  const names = new Set(chunks.map((chunk) => chunk.fileName));
  const imports = chunks.flatMap((chunk) => chunk.imports).filter((each) => !names.has(each));
  return { owners: [...new Set(owners)], imports };
}

describe('the SDK bundle', () => {
  it.each(['index.ts', 'testing/index.ts'])('of %s holds zod only and no node: module', async (entry) => {
    expect(await bundle(src + entry)).toEqual({ owners: ['zod'], imports: [] });
  });

  it('would show a planted node: import', async () => {
    const planted = {
      name: 'planted',
      resolveId: (id: string) => (id === 'planted' ? id : undefined),
      load: (id: string) =>
        id === 'planted' ? `import 'node:fs'; export * from '${src}index.ts';` : undefined,
    };
    expect(await bundle({ planted: 'planted' }, [planted])).toMatchObject({ imports: ['node:fs'] });
  });
});
