// What can be done with a session, behind a button.
import type { Session } from '@toolyard/sdk';
import { Copy, GitFork, MoreHorizontal, Pencil, Trash2 } from 'lucide-react';
import { copyText } from '../browser-apis/copy-text.ts';
import { IconButton } from '../controls/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../controls/menu.tsx';
import { useToast } from '../controls/toast.tsx';
import { openDialog } from '../navigation/dialogs.ts';
import { useSessionActions } from './use-session-actions.ts';

export interface SessionMenuProps {
  session: Session;
  onOpenChange(isOpen: boolean): void;
  className?: string | undefined;
}

export function SessionMenu({ session, onOpenChange, className }: SessionMenuProps) {
  const { fork, remove } = useSessionActions();
  const toast = useToast();
  const copyId = () =>
    copyText(session.id).catch(() => {
      toast({ tone: 'bad', title: 'It could not be copied', note: `Its id is ${session.id}` });
    });
  return (
    <Menu
      onOpenChange={onOpenChange}
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
      <MenuItem icon={<Copy />} onSelect={() => void copyId()}>
        Copy id
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger onSelect={() => remove(session)}>
        Delete
      </MenuItem>
    </Menu>
  );
}
