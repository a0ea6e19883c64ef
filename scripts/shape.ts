// Prints the tail of the code's shape: its largest files and longest functions. Informs, never fails.
import { findFunctions } from './source/find-functions.ts';
import { isSource, listFiles, readFiles } from './source/repository.ts';

const shown = 5;
const manyFileLines = 250;
const manyFunctionLines = 40;

interface Row {
  lines: number;
  label: string;
}

const sources = readFiles(listFiles('packages').filter(isSource));
const files = sources.map(({ path, text }) => ({ label: path, lines: text.trimEnd().split('\n').length }));
const functions = sources.flatMap(({ path, text }) =>
  findFunctions(text).map(({ name, line, lines }) => ({ label: `${name} (${path}:${line})`, lines })),
);

print(`largest of ${files.length} files`, files, manyFileLines);
print(`longest of ${functions.length} functions`, functions, manyFunctionLines);

function print(heading: string, rows: Row[], many: number): void {
  const past = rows.filter(({ lines }) => lines > many).length;
  console.log(`${heading}${past > 0 ? `; ${past} past ${many} lines: where was the cut missed?` : ''}`);
  const largest = rows.sort((a, b) => b.lines - a.lines).slice(0, Math.max(shown, past));
  for (const { lines, label } of largest) {
    console.log(`  ${String(lines).padStart(5)} ${lines > many ? '!' : ' '} ${label}`);
  }
}
