// Keeps lists true: what happens in any session makes the lists that show it read again, at most a few times a second.

import type { QueryClient, QueryFilters } from '@tanstack/react-query';
import { type Event, type EventType, isDeletion } from '@toolyard/sdk';
import { socket } from '../connection/client.ts';
import { notifyDeleted } from './deleted-sessions.ts';
import { keys } from './keys.ts';
import { dropSession, refreshSession } from './sessions.ts';

const refreshIntervalMs = 250;
/** Above this many changed sessions the whole list is read again. */
const maxSingleRefreshes = 8;

/** The lists that an event of each type changes. */
const changedLists: Record<EventType, readonly (keyof typeof keys)[]> = {
  user_message: ['sessions'],
  turn_start: ['sessions', 'tasks'],
  turn_end: ['sessions', 'runs', 'tasks'],
  usage: ['runs'],
  agent_update: ['agents', 'runs', 'tasks'],
  session_status: ['sessions'],
  approval_required: ['approvals', 'sessions'],
  approval_resolved: ['approvals', 'sessions'],
  question_required: ['questions', 'sessions'],
  question_resolved: ['questions', 'sessions'],
  text_delta: [],
  thinking_delta: [],
  tool_call_start: [],
  tool_call_delta: [],
  tool_call_end: [],
  tool_progress: [],
  tool_result: [],
  grant_used: [],
  raw: [],
  error: [],
};

export async function followLiveUpdates(queries: QueryClient, signal: AbortSignal): Promise<void> {
  const { onEvent, stop } = createListener(queries);
  // What was read before events are heard may be older than the first of them.
  const onSubscribed = () => void refetch(queries);
  try {
    for await (const { event } of socket.allEvents({ signal, onSubscribed })) onEvent(event);
  } finally {
    stop();
  }
}

/** Also what is being read for the first time: the server may have answered before what was heard of happened. */
async function refetch(queries: QueryClient, which: QueryFilters = {}): Promise<void> {
  await queries.cancelQueries({ ...which, predicate: ({ state }) => state.data === undefined });
  await queries.invalidateQueries(which);
}

function createListener(queries: QueryClient) {
  const stale = new Set<Exclude<keyof typeof keys, 'sessions'>>();
  const changed = new Set<string>();
  let timer: number | undefined;

  function refresh(): void {
    timer = undefined;
    for (const name of stale) void refetch(queries, { queryKey: keys[name] });
    if (changed.size > maxSingleRefreshes) void refetch(queries, { queryKey: keys.sessions });
    else for (const id of changed) void refreshSession(queries, id);
    stale.clear();
    changed.clear();
  }

  return {
    onEvent(event: Event): void {
      if (isDeletion(event)) {
        dropSession(queries, event.sessionId);
        notifyDeleted(event.sessionId);
        // What it asked went with it.
        for (const name of ['approvals', 'questions'] as const) stale.add(name);
        timer ??= window.setTimeout(refresh, refreshIntervalMs);
        return;
      }
      const lists = changedLists[event.type];
      if (lists.length === 0) return;
      // Whoever drafted an agent hears how it stands; what it spends meanwhile is told in its own session.
      if (event.lineage) stale.add('agents');
      for (const name of lists) {
        if (name === 'sessions') changed.add(event.sessionId);
        else stale.add(name);
      }
      timer ??= window.setTimeout(refresh, refreshIntervalMs);
    },
    stop: () => window.clearTimeout(timer),
  };
}
