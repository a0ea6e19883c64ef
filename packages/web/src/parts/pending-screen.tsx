// In place of a screen that is being loaded.

import { useLine } from '../connection/line.ts';
import { Spinner } from '../controls/spinner.tsx';

export function PendingScreen() {
  const { kind } = useLine();
  return (
    <main className="flex h-full items-center justify-center p-6">
      <Spinner
        label={kind === 'retrying' ? 'This screen comes when the server is back' : 'Loading the screen'}
      />
    </main>
  );
}
