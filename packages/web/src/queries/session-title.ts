// What a session is called where people read it: one that nobody has spoken in yet has no title of its own.
import { toReadable } from '@toolyard/sdk';

export function toTitle({ title }: { title: string }): string {
  return title.trim() === '' ? 'New conversation' : toReadable(title);
}
