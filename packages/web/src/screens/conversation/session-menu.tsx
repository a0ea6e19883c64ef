// What can be done with the whole conversation.
import type { Session } from '@toolyard/sdk';
import { Copy, Download, Ellipsis, FileJson, GitFork, Link2, Pencil, Trash2 } from 'lucide-react';
import { copyText } from '../../browser-apis/copy-text.ts';
import { toProblem } from '../../connection/problems.ts';
import { IconButton } from '../../controls/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../controls/menu.tsx';
import { useToast } from '../../controls/toast.tsx';
import { openDialog } from '../../navigation/dialogs.ts';
import { readExport, useSaveExport } from '../../session-list/session-export.ts';
import { useSessionActions } from '../../session-list/use-session-actions.ts';

export function SessionMenu({ session }: { session: Session }) {
  const { fork, remove } = useSessionActions();
  const toast = useToast();
  const save = useSaveExport();
  const copy = async (read: () => string | Promise<string>, what: string) => {
    try {
      await copyText(await read());
      toast({ tone: 'good', title: `Copied ${what}` });
    } catch (thrown) {
      toast({ tone: 'bad', title: 'It could not be copied', note: toProblem(thrown).message });
    }
  };
  const trigger = (
    <IconButton label="More about this conversation" size="small">
      <Ellipsis className="size-4" />
    </IconButton>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<Pencil />} onSelect={() => openDialog({ kind: 'rename', session })}>
        Rename
      </MenuItem>
      <MenuItem icon={<GitFork />} onSelect={() => void fork(session)}>
        Fork
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Link2 />} onSelect={() => void copy(() => location.href, 'the address')}>
        Copy address
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={() => void copy(() => readExport(session.id), 'the conversation')}>
        Copy as Markdown
      </MenuItem>
      <MenuItem icon={<Download />} onSelect={() => void save(session.id, 'markdown')}>
        Export as Markdown
      </MenuItem>
      <MenuItem icon={<FileJson />} onSelect={() => void save(session.id, 'json')}>
        Export as JSON
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 />} danger onSelect={() => remove(session)}>
        Delete
      </MenuItem>
    </Menu>
  );
}
