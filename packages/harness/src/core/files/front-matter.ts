// Splits a Markdown file with frontmatter. Knows one fence, a plain `---`: a word behind it names a language that some
// readers execute, so such a file is refused. Parses nothing.
import { ToolyardError } from '@toolyard/sdk';
import { quote } from './yaml-bounds.ts';

export interface FrontMatter {
  /** The YAML, with an empty line in the fence's place so that its lines are numbered like the file's. */
  head: string;
  body: string;
}

const plainFence = /^---[ \t]*$/;

/** Nothing when the file does not begin with a fence. Throws `invalid_config` for one that is not plain or not closed. */
export function splitFrontMatter(text: string, file: string): FrontMatter | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const [first = ''] = lines;
  if (!first.startsWith('---')) return undefined;
  if (!plainFence.test(first)) {
    throw refuse(file, `frontmatter must begin with a line of exactly three dashes, not ${quote(first)}`);
  }
  const end = lines.findIndex((line, index) => index > 0 && plainFence.test(line));
  if (end < 0) throw refuse(file, 'the frontmatter that begins here is not closed; end it with a line ---');
  return {
    head: ['', ...lines.slice(1, end), ''].join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function refuse(file: string, message: string): ToolyardError {
  const problems = [{ line: 1, column: 1, message }];
  return new ToolyardError('invalid_config', `${file}:1:1: ${message}`, { data: { file, problems } });
}
