// Which events of a session's log belong to one turn. Other turns come before and after it, and calls that somebody else
// makes in the session run beside it.
import type { Event } from '../protocol/event.ts';

/** Answers for each event of the log, in order and from the turn's message on, whether it is the turn's. */
export function createTurnFilter(turnId: string): (event: Event) => boolean {
  const otherCalls = new Set<string>();
  const asked = new Set<string>();
  let isRunning = false;

  function isOwnCall(toolCallId: string): boolean {
    return isRunning && !otherCalls.has(toolCallId);
  }

  function asks(id: string, isOwn: boolean): boolean {
    if (isOwn) asked.add(id);
    return isOwn;
  }

  return (event) => {
    switch (event.type) {
      case 'user_message':
      case 'turn_end':
        return event.data.turnId === turnId;
      case 'turn_start': {
        const isOwn = event.data.turnId === turnId;
        if (event.data.toolCallId === undefined) isRunning = isOwn;
        else if (!isOwn) otherCalls.add(event.data.toolCallId);
        return isOwn;
      }
      case 'tool_call_start':
      case 'tool_call_delta':
      case 'tool_call_end':
      case 'tool_progress':
      case 'tool_result':
        return isOwnCall(event.data.toolCallId);
      case 'approval_required':
        return asks(event.data.approval.id, isOwnCall(event.data.approval.toolCallId));
      case 'approval_resolved':
        return asked.has(event.data.approvalId);
      case 'question_required':
        return asks(event.data.question.id, isRunning);
      case 'question_resolved':
        return asked.has(event.data.questionId);
      default:
        return isRunning;
    }
  };
}
