// The reference of the SDK, made of its sources: what each entry exports, with the comments that stand there.
import type { SourceFile } from '../source/repository.ts';
import { type Declaration, readDeclarations, readIntroduction } from './declarations.ts';
import type { Problem } from './problem.ts';

export const referencePath = 'docs/reference.md';
const folder = 'packages/sdk/src';

const entries = [
  { name: '@toolyard/sdk', file: `${folder}/index.ts` },
  { name: '@toolyard/sdk/testing', file: `${folder}/testing/index.ts` },
];

const beginning = `<!-- Made of the sources by \`npm run reference\`. Edit the comments there. -->

# The SDK, name by name

What \`@toolyard/sdk\` exports, file by file, with its comments. To learn it, begin with the guides: [tools.md](tools.md) for
tools, [http.md](http.md) for the client. A schema (\`z.…\`) and its type share a name; \`z.infer\` gives the type.
`;

/** Pure: everything it knows is in its argument. */
export function toReference(files: readonly SourceFile[]): string {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const sections = entries.flatMap(({ name, file }) => [
    `## ${name}\n`,
    ...readExports(texts.get(file) ?? '', file).map((exported) => toSection(exported, texts)),
  ]);
  return [beginning, ...sections].join('\n');
}

/** Is the page what the sources say? Without the SDK there is nothing to say. */
export function findStaleReference(files: readonly SourceFile[]): Problem[] {
  if (!files.some(({ path }) => path === entries[0]?.file)) return [];
  const written = files.find(({ path }) => path === referencePath)?.text;
  const meant = toReference(files);
  if (written === meant) return [];
  const lines = meant.split('\n');
  const line = (written ?? '').split('\n').findIndex((each, index) => each !== lines[index]) + 1;
  return [{ path: referencePath, line, message: 'this is not what the sources say: npm run reference' }];
}

interface Exported {
  path: string;
  /** None: all of them. */
  names?: readonly string[];
}

/** What an entry file passes on. */
function readExports(source: string, entry: string): Exported[] {
  const base = entry.slice(0, entry.lastIndexOf('/'));
  return [...source.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from '\.\/([^']+)';$/gm)].map(
    ([, what = '', file]) => ({
      path: `${base}/${file}`,
      ...(what !== '*' && { names: what.match(/\b(?!type\b)\w+/g) ?? [] }),
    }),
  );
}

function toSection({ path, names }: Exported, texts: ReadonlyMap<string, string>): string {
  const source = texts.get(path) ?? '';
  const declared = readDeclarations(source).filter(({ name }) => names?.includes(name) ?? true);
  const title = `### ${path.slice(folder.length + 1).replace(/\.ts$/, '')}`;
  return [title, '', readIntroduction(source), '', ...merge(declared).map(toEntry)].join('\n');
}

/** A schema and its type are one entry. */
function merge(declared: readonly Declaration[]): Declaration[] {
  const byName = Map.groupBy(declared, ({ name }) => name);
  return [...byName.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const own = rest.filter(({ text }) => !/= z\.infer<typeof \w+>;$/.test(text));
    const comments = [first, ...own].map(({ comment }) => comment).filter(Boolean);
    return [
      {
        ...first,
        comment: comments.join('\n\n'),
        text: [first, ...own].map(({ text }) => text).join('\n'),
      },
    ];
  });
}

function toEntry({ name, comment, text }: Declaration): string {
  return [`#### ${name}`, '', ...(comment ? [comment, ''] : []), '```ts', text, '```', ''].join('\n');
}
