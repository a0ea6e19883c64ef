// One thing that the palette offers, and the groups in which such things stand.
import type { ReactNode } from 'react';

export type PaletteGroup =
  | 'Do'
  | 'This session'
  | 'Go to'
  | 'Sessions'
  | 'Agents at work'
  | 'Tasks'
  | 'Said in sessions';

export interface PaletteEntry {
  id: string;
  group: PaletteGroup;
  name: ReactNode;
  note?: ReactNode;
  icon: ReactNode;
  shortcut?: string;
  run(): void;
}
