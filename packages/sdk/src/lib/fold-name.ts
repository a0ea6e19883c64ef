// One form for all spellings of a file's name that some file system takes for the same file: case, other Unicode forms,
// invisible characters, trailing dots and spaces, streams. Only for asking "could it be this one?", never for opening.
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

export function foldName(text: string): string {
  const plain = text.normalize('NFKC').replace(invisible, '');
  // Upper case first: some letters meet only there.
  const lower = plain.toUpperCase().toLowerCase().normalize('NFKC');
  const [name = ''] = lower.split(':', 1);
  return cutEnd(name.trimStart());
}

/** A loop, because the expression for it would be slow on a hostile name. */
function cutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[\s.]/.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** Folds each name of a path; separators of either kind become `/`, and empty names vanish. */
export function foldPath(path: string): string {
  return path
    .split(/[\\/]/)
    .map(foldName)
    .filter((name) => name !== '')
    .join('/');
}
