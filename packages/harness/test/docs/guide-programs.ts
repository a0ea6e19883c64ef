// The programs in the guides for library users: every `ts` block is a whole one, and what it prints stands below it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../../../scripts/source/repository.ts';

export interface GuideProgram {
  /** The page, and the how manieth program on it. */
  where: string;
  code: string;
  /** What the page says it prints. */
  printed: RegExp;
}

/** In the order of the pages. */
export async function readGuidePrograms(): Promise<GuideProgram[]> {
  const pages = ['docs/library.md', 'README.md'];
  const found = pages.map(async (page) => findPrograms(page, await readFile(join(root, page), 'utf8')));
  return (await Promise.all(found)).flat();
}

function findPrograms(page: string, text: string): GuideProgram[] {
  const found = [...text.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm)];
  return found.map(([, code = '', printed = 'nothing is written below it'], index) => ({
    where: `${page} ${index + 1}`,
    code,
    printed: toPattern(printed),
  }));
}

/** `…` stands for anything. */
function toPattern(printed: string): RegExp {
  const parts = printed.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}
