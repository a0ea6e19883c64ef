// What can be done with a session, behind a button.
import type { Session } from '@toolyard/sdk';
import { Copy, GitFork, MoreHorizontal, Pencil, Trash2 } from 'lucide-react';
import { IconButton } from '../parts/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { openDialog } from './dialogs.ts';
import { useSessionActions } from './use-session-actions.ts';

export function SessionMenu({ session, className }: { session: Session; className?: string | undefined }) {
  const { fork, remove } = useSessionActions();
  return (
    <Menu
      trigger={
        <IconButton label="Session actions" size="small" side="right" className={className}>
          <MoreHorizontal className="size-4" />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil />} onSelect={() => openDialog({ kind: 'rename', session })}>
        Rename
      </MenuItem>
      <MenuItem icon={<GitFork />} onSelect={() => void fork(session)}>
        Fork
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={() => void navigator.clipboard.writeText(session.id)}>
        Copy id
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger onSelect={() => remove(session)}>
        Delete
      </MenuItem>
    </Menu>
  );
}
