// The side on a phone: it comes from the left and goes when a place was chosen.
import { Dialog as Radix } from 'radix-ui';
import { veil } from '../controls/dialog.tsx';
import { useReturnFocus } from '../controls/return-focus.ts';
import { closeDialog } from '../navigation/dialogs.ts';
import { Sidebar } from './sidebar.tsx';

export function Drawer({ waiting }: { waiting: number }) {
  return (
    <Radix.Root open onOpenChange={(open) => open || closeDialog()}>
      <Radix.Portal>
        <Radix.Overlay className={`${veil} md:hidden`} />
        <Radix.Content
          aria-describedby={undefined}
          {...useReturnFocus('content')}
          className="drawer fixed inset-y-0 left-0 z-50 w-[min(20rem,86vw)] border-r shadow-2xl outline-none md:hidden"
        >
          <Radix.Title className="sr-only">Sessions and screens</Radix.Title>
          <Sidebar waiting={waiting} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
