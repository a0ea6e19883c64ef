export const cache: string;
export const listFile: string;
export function toState(path: string): string | undefined;
export function findBundle(): string | undefined;
