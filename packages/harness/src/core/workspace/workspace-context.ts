// What a workspace tells every agent in it, in its CLAUDE.md and AGENTS.md: heard only once a person trusts it.
import type { WorkspaceFiles } from './workspace-files.ts';

const names = ['AGENTS.md', 'CLAUDE.md'] as const;
/** Of one file: about 10,000 tokens. */
const maxFileLength = 40_000;

/** Text to follow the role's own instructions; empty when there is nothing to say or nobody trusts it. */
export function toWorkspaceContext({ set, trusted }: Pick<WorkspaceFiles, 'set' | 'trusted'>): string {
  if (!trusted) return '';
  const texts = names.flatMap((name) => {
    const content = set.files.get(name);
    const text = content && new TextDecoder().decode(content).trim();
    return text ? [{ name, text }] : [];
  });
  // Often one is a copy of the other, or a link to it.
  const distinct = texts.filter(
    ({ text }, index) => texts.findIndex((other) => other.text === text) === index,
  );
  return distinct.map(({ name, text }) => `# ${name} of this workspace\n\n${toBounded(text)}`).join('\n\n');
}

function toBounded(text: string): string {
  if (text.length <= maxFileLength) return text;
  return `${text.slice(0, maxFileLength)}\n[cut here: ${text.length - maxFileLength} more characters in the file]`;
}
