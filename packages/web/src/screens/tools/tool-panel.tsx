// One tool: what it does and takes, who may call it, and a way to try it.
import { type Role, toReadable } from '@toolyard/sdk';
import { useState } from 'react';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { Tabs } from '../../controls/tabs.tsx';
import { ToolTitle } from '../../decision-cards/tool-title.tsx';
import { Badge } from '../../parts/badge.tsx';
import { lostWords } from '../../parts/form-dialog.tsx';
import type { ToolRow } from '../../queries/tools-data.ts';
import { useUnsaved } from '../../storage/unsaved-changes.ts';
import { SchemaView } from './schema-view.tsx';
import { TryTool } from './try-tool.tsx';
import { Verdict } from './verdict.tsx';

export interface ToolPanelProps {
  row: ToolRow;
  roles: readonly Role[];
  onClose(): void;
}

type View = 'about' | 'try' | 'roles';

export function ToolPanel({ row, roles, onClose }: ToolPanelProps) {
  const [view, setView] = useState<View>('about');
  const [isTyped, setIsTyped] = useState(false);
  useUnsaved(isTyped);
  const { tool } = row;
  const callers = roles.filter(({ name }) => row.cells.get(name)?.offered);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      width="large"
      begin="content"
      warning={isTyped ? lostWords : undefined}
      title={<ToolTitle tool={tool.name} />}
    >
      <div className="flex flex-wrap items-center gap-1.5 pb-3">
        <Badge>{tool.effect}</Badge>
        <Badge title="How often it asks, unless something else decides">tier {tool.tier}</Badge>
        <Badge>{tool.engine ? `own tool of ${tool.engine}` : `toolkit ${tool.toolkit}`}</Badge>
        <span className="ml-1 font-mono text-xs text-faint wrap-anywhere">{tool.name}</span>
        <CopyButton text={tool.name} label="Copy its full name" />
      </div>
      <Tabs<View>
        label="About the tool"
        value={view}
        onChange={setView}
        tabs={[
          { value: 'about', label: 'About', content: <About row={row} /> },
          { value: 'roles', label: 'Roles', content: <Callers row={row} roles={roles} /> },
          {
            value: 'try',
            label: 'Try it',
            keep: true,
            content: <TryTool tool={tool} roles={callers} onTyped={setIsTyped} />,
          },
        ]}
      />
    </Dialog>
  );
}

function About({ row: { tool } }: { row: ToolRow }) {
  return (
    <div className="flex flex-col gap-5 pb-2">
      <p className="max-w-prose text-sm whitespace-pre-line text-soft">{toReadable(tool.description)}</p>
      {tool.engine ? (
        <p className="text-sm text-faint">
          Only the engine itself can call it, and Toolyard knows no schema of it.
        </p>
      ) : (
        <>
          <section aria-label="What it takes" className="flex flex-col gap-2">
            <h3 className="text-sm font-semibold">What it takes</h3>
            <SchemaView schema={tool.inputSchema} />
          </section>
          <section aria-label="What it answers" className="flex flex-col gap-2">
            <h3 className="text-sm font-semibold">What it answers</h3>
            <SchemaView schema={tool.outputSchema} isAnswer />
          </section>
        </>
      )}
    </div>
  );
}

function Callers({ row, roles }: { row: ToolRow; roles: readonly Role[] }) {
  return (
    <ul className="divide-y rounded-lg border">
      {roles.map(({ name, description }) => {
        const cell = row.cells.get(name);
        return (
          <li key={name} className="grid gap-x-4 gap-y-1 px-3 py-2 sm:grid-cols-[12rem_1fr]">
            <span className="text-sm font-medium" title={description}>
              {name}
            </span>
            {cell ? (
              <Verdict cell={cell} />
            ) : (
              <span className="text-13 text-faint">another engine’s tool</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
