// All keys at a glance.
import { Dialog } from '../controls/dialog.tsx';
import { Kbd } from '../controls/kbd.tsx';
import { shortcuts } from '../navigation/shortcuts.ts';

export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title="Keys" width="medium">
      <div className="grid gap-x-8 gap-y-4 pb-2 sm:grid-cols-2">
        {shortcuts.map((group) => (
          <section key={group.name}>
            <h3 className="mb-1 text-xs font-medium text-faint">{group.name}</h3>
            <dl>
              {group.shortcuts.map(({ keys, does }) => (
                <div key={keys} className="flex items-center gap-3 border-b py-1.5 text-sm last:border-0">
                  <dt className="order-2 flex gap-1">
                    {keys.split(' ').map((part) => (
                      <Kbd key={part} keys={part} />
                    ))}
                  </dt>
                  <dd className="order-1 flex-1 text-soft">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
