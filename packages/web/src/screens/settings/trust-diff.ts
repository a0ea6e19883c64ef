// What trusting a workspace would change, as lines of a diff. Pure.
export interface DiffLine {
  sign: '-' | '+';
  text: string;
}

const setting = /^toolyard\.yaml sets (\S+) to (.*) \(now (.*)\)\.$/s;

/** The server says it in sentences; one about a setting holds what is there before and after. */
export function toDiff(widens: readonly string[]): DiffLine[] {
  return widens.flatMap((sentence): DiffLine[] => {
    const [, key, after, before] = setting.exec(sentence) ?? [];
    if (!key) return [{ sign: '+', text: sentence }];
    return [
      { sign: '-', text: `${key}: ${before}` },
      { sign: '+', text: `${key}: ${after}` },
    ];
  });
}
