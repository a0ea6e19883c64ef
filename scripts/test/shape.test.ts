import { expect, test } from 'vitest';
import { findFunctions } from '../source/find-functions.ts';

test('functions are found with their names and lengths, whatever their form', () => {
  const text = `export async function plain(a: { b: string }): Promise<{ c: string }> {
  if (a) { return; }
}
const arrow = async ({ a }: Options): Promise<void> => {
  call(() => 1);
};
class Yard {
  method<T>(a: T): a is T & { b: 1 } {
    return \`\${a} } {\`; // }
  }
}
on('end', () => {
  const one = (a) => ({ a });
});
const text = a ? b(c) : { d: 'function no() {' };
`;
  expect(findFunctions(text)).toEqual([
    { name: 'plain', line: 1, lines: 3 },
    { name: 'arrow', line: 4, lines: 3 },
    { name: 'method', line: 8, lines: 3 },
    { name: '(unnamed)', line: 12, lines: 3 },
  ]);
});
