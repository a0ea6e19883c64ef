// The paths that a text may mean. Who reads it later may expand `~`, decode it, trim it or take it for a pattern; a
// judge that knew one reading only could be talked past.
import { dirname, join } from 'node:path';

const maxVariants = 256;
const maxCharacters = 8_192;
/** Of all forms together: each is followed on the disk. */
const maxTotal = 65_536;

/** All readings, the text itself first. Nothing when there are too many to judge. */
export function toPathVariants(
  text: string,
  userHome: string,
  { isPattern }: { isPattern: boolean },
): string[] | undefined {
  if (text.length > maxCharacters) return undefined;
  const variants = new Set([text, text.trim()]);
  let total = 0;
  for (const variant of variants) {
    total += variant.length;
    if (variants.size > maxVariants || total > maxTotal) return undefined;
    for (const other of [
      decode(variant),
      variant.replace(/^file:\/\/[^/]*/i, ''),
      variant.replaceAll('\\', '/'),
    ]) {
      variants.add(other);
    }
    variants.add(expandHome(variant, userHome));
    if (isPattern) for (const branch of expandBraces(variant)) variants.add(branch);
  }
  return [...variants];
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function expandHome(text: string, userHome: string): string {
  const [tilde, user] = /^~([a-z_][\w-]*)?(?=\/|$)/i.exec(text) ?? [];
  if (tilde === undefined) return text;
  const home = user === undefined ? userHome : join(dirname(userHome), user);
  return `${home}${text.slice(tilde.length)}`;
}

/** The first innermost `{a,b}` taken apart; the rest follows when the results are looked at again. */
function expandBraces(text: string): string[] {
  for (const { 0: whole, 1: inner = '', index } of text.matchAll(/\{([^{}]*)\}/g)) {
    if (!inner.includes(',')) continue;
    const [before, after] = [text.slice(0, index), text.slice(index + whole.length)];
    return inner.split(',', maxVariants + 1).map((branch) => `${before}${branch}${after}`);
  }
  return [];
}
