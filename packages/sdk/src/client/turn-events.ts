// Which events of a session's log belong to one turn. Other turns come before and after it, and calls that somebody else
// makes in the session run beside it.
import type { Event } from '../protocol/event.ts';
import type { Question } from '../protocol/question.ts';

/** An approval or a question. */
interface PendingRequest {
  id: string;
  sessionId: string;
  turnId: string;
  limit?: Question['limit'];
}

/** Answers for each event of the log, in order and from the turn's message on, whether it is the turn's. */
export function createTurnFilter(turnId: string): (event: Event) => boolean {
  /** Calls that are turns of their own: the turn of each. */
  const directCalls = new Map<string, string>();
  /** Approvals and questions of this turn. */
  const asked = new Set<string>();
  /** The session's agent works on this turn. */
  let isRunning = false;

  function isOwnCall(toolCallId: string): boolean {
    const directTurn = directCalls.get(toolCallId);
    return directTurn === undefined ? isRunning : directTurn === turnId;
  }

  function start({ data }: Event<'turn_start'>): boolean {
    const isOwn = data.turnId === turnId;
    if (data.toolCallId === undefined) isRunning = isOwn;
    else directCalls.set(data.toolCallId, data.turnId);
    return isOwn;
  }

  function ask(request: PendingRequest, logOf: string): boolean {
    const isOwn = request.turnId === turnId || (isRunning && concernsRunningTurn(request, logOf));
    if (isOwn) asked.add(request.id);
    return isOwn;
  }

  return (event) => {
    switch (event.type) {
      case 'user_message':
      case 'turn_end':
        return event.data.turnId === turnId;
      case 'turn_start':
        return start(event);
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'tool_call_end':
      case 'tool_progress':
      case 'tool_result':
      case 'grant_used':
        return isOwnCall(event.data.toolCallId);
      case 'approval_required':
        return ask(event.data.approval, event.sessionId);
      case 'approval_resolved':
        return asked.has(event.data.approvalId);
      case 'question_required':
        return ask(event.data.question, event.sessionId);
      case 'question_resolved':
        return asked.has(event.data.questionId);
      // These name neither a turn nor a call.
      case 'text_delta':
      case 'thinking_delta':
      case 'usage':
      case 'raw':
      case 'error':
      case 'session_status':
      case 'agent_update':
        return isRunning;
    }
  };
}

/**
 * An agent under the session asks in a turn of its own. A limit of the run is asked about once, for all who meet it: the
 * turn under way may wait for the same answer.
 */
function concernsRunningTurn({ sessionId, limit }: PendingRequest, logOf: string): boolean {
  return sessionId !== logOf || limit !== undefined;
}
