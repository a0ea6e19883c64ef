// What the palette offers of the work under way: what can be done in the open session, agents at work, tasks.
import { useNavigate, useParams } from '@tanstack/react-router';
import { toVisibleLine } from '@toolyard/sdk';
import { Bot, CircleStop, Download, ListTodo, ShieldCheck } from 'lucide-react';
import { nameAgent } from '../agents/format-agent.ts';
import { socket } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';
import { useChangeMode } from '../new-session/use-change-mode.ts';
import { useLiveAgents, useTasks } from '../queries/agents.ts';
import { modes } from '../queries/modes.ts';
import { useSessionInfo } from '../queries/sessions.ts';
import { useSaveExport } from '../session-list/session-export.ts';
import type { PaletteEntry } from './palette-entry.ts';

/** Bypass takes a question, which stands at the mode itself. */
export function useSessionCommands(): PaletteEntry[] {
  const { sessionId } = useParams({ strict: false });
  const { data: session } = useSessionInfo(sessionId);
  const changeMode = useChangeMode();
  const stop = useStopTurn();
  const save = useSaveExport();
  if (!session || session.engine === 'direct') return [];
  const group = 'This session';
  const { id } = session;
  const isBusy = session.status === 'running' || session.status === 'waiting';
  const others = modes.filter(({ value }) => value !== session.mode && value !== 'bypassPermissions');
  return [
    ...(isBusy
      ? [{ id: 'stop', group, name: 'Stop the turn', icon: <CircleStop />, run: () => stop(id) } as const]
      : []),
    ...others.map(
      ({ value, label }): PaletteEntry => ({
        id: `mode ${value}`,
        group,
        name: `Mode: ${label.toLowerCase()}`,
        icon: <ShieldCheck />,
        run: () => void changeMode(id, value),
      }),
    ),
    {
      id: 'export',
      group,
      name: 'Export as Markdown',
      icon: <Download />,
      run: () => void save(id, 'markdown'),
    },
  ];
}

function useStopTurn(): (sessionId: string) => void {
  const toast = useToast();
  return (sessionId) =>
    void socket
      .interrupt(sessionId)
      .catch((thrown: unknown) =>
        toast({ tone: 'bad', title: 'The turn could not be stopped', note: toProblem(thrown).message }),
      );
}

export function useWorkEntries(): PaletteEntry[] {
  const navigate = useNavigate();
  const agents = (useLiveAgents().data?.items ?? []).map((agent): PaletteEntry => {
    const task = toVisibleLine(agent.taskSlug);
    return {
      id: agent.id,
      group: 'Agents at work',
      name: `${nameAgent(agent)} on ${task}`,
      note: agent.status,
      icon: <Bot />,
      run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId: agent.sessionId } }),
    };
  });
  const tasks = (useTasks().data?.pages ?? []).flatMap(({ items }) => items);
  return [
    ...agents,
    ...tasks.map(
      ({ slug, status }): PaletteEntry => ({
        id: `task ${slug}`,
        group: 'Tasks',
        name: toVisibleLine(slug),
        note: status,
        icon: <ListTodo />,
        run: () => void navigate({ to: '/tasks/$slug', params: { slug } }),
      }),
    ),
  ];
}
