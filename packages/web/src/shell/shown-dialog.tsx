// The dialog that is open, whichever screen has asked for it.
import { closeDialog, useOpenDialog } from './dialogs.ts';
import { Drawer } from './drawer.tsx';
import { NewSessionDialog } from './new-session-dialog.tsx';
import { Palette } from './palette.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

export function ShownDialog({ waiting }: { waiting: number }) {
  const dialog = useOpenDialog();
  if (dialog?.kind === 'newSession') return <NewSessionDialog onClose={closeDialog} />;
  if (dialog?.kind === 'rename') return <RenameDialog session={dialog.session} onClose={closeDialog} />;
  if (dialog?.kind === 'shortcuts') return <ShortcutsDialog onClose={closeDialog} />;
  if (dialog?.kind === 'palette') return <Palette />;
  return dialog?.kind === 'drawer' ? <Drawer waiting={waiting} /> : null;
}
