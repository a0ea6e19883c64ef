// The permission mode, wherever one is chosen: what runs everything unasked is asked about first, and is red.
import type { PermissionMode } from '@toolyard/sdk';
import { useState } from 'react';
import { ConfirmDialog } from '../controls/dialog.tsx';
import { Select, type SelectProps } from '../controls/select.tsx';

type Choice = PermissionMode | 'default-of-role';

export interface ModeSelectProps<Value extends Choice> extends Omit<SelectProps<Value>, 'onChange'> {
  /** Never throws. */
  onChange(mode: Value): Promise<void> | void;
}

export function ModeSelect<Value extends Choice>({ onChange, ...rest }: ModeSelectProps<Value>) {
  const [dangerous, setDangerous] = useState<Value>();
  return (
    <>
      <Select
        {...rest}
        onChange={(mode) => {
          if (mode === 'bypassPermissions') setDangerous(mode);
          else void onChange(mode);
        }}
        className={rest.value === 'bypassPermissions' ? 'border-bad/40 text-bad' : ''}
      />
      <ConfirmDialog
        open={dangerous !== undefined}
        onOpenChange={(open) => open || setDangerous(undefined)}
        title="Run everything unasked?"
        note="In this session the agent may then read, write, execute and delegate without asking you. What its role may not do, protected files and limits still hold. You can switch back at any time."
        confirmLabel="Bypass permissions"
        danger
        onConfirm={async () => {
          if (dangerous !== undefined) await onChange(dangerous);
        }}
      />
    </>
  );
}
