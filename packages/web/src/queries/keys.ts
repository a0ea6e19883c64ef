// Under which names what was read from the server is kept.

/** Names under which lists are kept. */
export const keys = {
  sessions: ['sessions'],
  approvals: ['approvals'],
  questions: ['questions'],
  agents: ['agents'],
  runs: ['runs'],
  tasks: ['tasks'],
} as const;
