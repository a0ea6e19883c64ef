// The permission mode, switched while the agent works: it counts from the next call on.
import type { PermissionMode, Session } from '@toolyard/sdk';
import { useState } from 'react';
import { ModeSelect } from '../../new-session/mode-select.tsx';
import { useChangeMode } from '../../new-session/use-change-mode.ts';
import { modes } from '../../server/modes.ts';

export function ModeSwitch({ session, mode }: { session: Session; mode: PermissionMode }) {
  const changeMode = useChangeMode();
  const [wanted, setWanted] = useState<PermissionMode>();
  return (
    <ModeSelect
      label="Permission mode"
      size="small"
      value={wanted ?? mode}
      options={modes}
      disabled={session.engine === 'direct'}
      onChange={async (next) => {
        setWanted(next);
        await changeMode(session.id, next);
        setWanted(undefined);
      }}
    />
  );
}
