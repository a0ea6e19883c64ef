// The dialog that is open, whichever screen has asked for it.
import { closeDialog, useOpenDialog } from '../navigation/dialogs.ts';
import { NewSessionDialog } from '../new-session/new-session-dialog.tsx';
import { Palette } from '../palette/palette.tsx';
import { RenameDialog } from '../session-list/rename-dialog.tsx';
import { Drawer } from './drawer.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

export function ShownDialog({ waiting }: { waiting: number }) {
  const dialog = useOpenDialog();
  if (dialog?.kind === 'newSession') return <NewSessionDialog onClose={closeDialog} />;
  if (dialog?.kind === 'rename') return <RenameDialog session={dialog.session} onClose={closeDialog} />;
  if (dialog?.kind === 'shortcuts') return <ShortcutsDialog onClose={closeDialog} />;
  if (dialog?.kind === 'palette') return <Palette />;
  return dialog?.kind === 'drawer' ? <Drawer waiting={waiting} /> : null;
}
