// Cuts a long text into pieces, at line ends where there are some. Pure.

const pieceLength = 8_000;

export function toPieces(text: string): string[] {
  if (text.length <= pieceLength * 2) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = toEnd(text, at + pieceLength);
    pieces.push(text.slice(at, text[end - 1] === '\n' ? end - 1 : end));
    at = end;
  }
  return pieces;
}

/** Past the next line end if it is near, else not in the middle of a character. */
function toEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const line = text.indexOf('\n', wanted);
  if (line !== -1 && line - wanted < pieceLength) return line + 1;
  return /[\udc00-\udfff]/.test(text[wanted] ?? '') ? wanted + 1 : wanted;
}
