// One role file: bounds, frontmatter and instructions. Throws `invalid_config` with file, line and what to write.
import { type Role, RoleHead, Slug, ToolyardError } from '@toolyard/sdk';
import { splitFrontMatter } from '../files/front-matter.ts';
import { parseYaml } from '../files/yaml.ts';

export interface RoleFile {
  content: Uint8Array;
  /** Its full path: only named, never opened. */
  file: string;
  source: Role['source'];
}

export const maxRoleBytes = 262_144;

export function parseRoleFile({ content, file, source }: RoleFile): Role {
  const stem = toStem(file);
  const { error } = Slug.safeParse(stem);
  if (error) throw refuseFile(file, `the file name is the name of the role: ${error.issues[0]?.message}`);
  const parts = splitFrontMatter(decode(content, file), file);
  if (!parts)
    throw refuseFile(file, 'a role file must begin with frontmatter: a line ---, its keys, a line ---');
  const named = `must be "${stem}", the name of the file; change one of them`;
  const head = RoleHead.extend({ name: Slug.refine((name) => name === stem, named) });
  return { ...parseYaml(head, parts.head, file), instructions: parts.body, source, file };
}

/** The file's name without folder and `.md`. */
export function toStem(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/, '');
}

export function decode(content: Uint8Array, file: string): string {
  if (content.length > maxRoleBytes) {
    throw refuseFile(file, `the file is larger than ${maxRoleBytes} bytes; keep instructions short`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw refuseFile(file, 'the file is not UTF-8 text');
  }
}

function refuseFile(file: string, message: string): ToolyardError {
  const problems = [{ line: 1, column: 1, message }];
  return new ToolyardError('invalid_config', `${file}:1:1: ${message}`, { data: { file, problems } });
}
