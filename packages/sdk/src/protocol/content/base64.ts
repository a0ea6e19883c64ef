// What base64 stands for: how many bytes, and which text.

/** How many bytes a base64 text stands for; nothing when it is none. */
export function toByteCount(base64: string): number | undefined {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  // Looks for one wrong character: an expression that describes the whole text would overflow on a long one.
  const isBase64 =
    base64.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(base64.slice(0, base64.length - padding));
  return isBase64 ? (base64.length / 4) * 3 - padding : undefined;
}

/** The text that its bytes are, as UTF-8; nothing when they are no text. */
export function readBase64Text(base64: string): string | undefined {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  // Text of other programs' own kinds has such bytes, and no model could read it.
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** `12 kB` */
export function toSizeLabel(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Rounded up, so that what is too large also looks it. */
export function toMegabytes(bytes: number): string {
  return `${Math.ceil((bytes / 1_048_576) * 10) / 10} MB`;
}
