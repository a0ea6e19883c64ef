// Prints the tail of the code's shape: its largest files, and its functions past 60 lines. Informs, never fails.
import { findFunctions } from './source/find-functions.ts';
import { isSource, listFiles, readFiles } from './source/repository.ts';

const shownFiles = 5;
const manyFunctionLines = 60;

interface Row {
  lines: number;
  label: string;
}

const sources = readFiles(listFiles('packages').filter(isSource));
const files = sources.map(({ path, text }) => ({ label: path, lines: text.trimEnd().split('\n').length }));
const functions = sources.flatMap(({ path, text }) =>
  findFunctions(text).map(({ name, line, lines }) => ({ label: `${name} (${path}:${line})`, lines })),
);
const long = functions.filter(({ lines }) => lines > manyFunctionLines);

print(`largest of ${files.length} files`, toLargest(files).slice(0, shownFiles));
print(`${long.length} of ${functions.length} functions past ${manyFunctionLines} lines`, toLargest(long));

function toLargest(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => b.lines - a.lines);
}

function print(heading: string, rows: readonly Row[]): void {
  console.log(heading);
  for (const { lines, label } of rows) console.log(`  ${String(lines).padStart(5)}  ${label}`);
}
