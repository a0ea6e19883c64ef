// Commands about who may do what: approvals, questions, grants, tokens, roles, trust, audit. Data, like the rest of the table.
import type { Command } from './command-line/arguments.ts';
import { json } from './command-line/options.ts';

const reason = { name: 'reason', value: 'REASON', summary: 'Why; kept with the answer' };
const approvalId = { name: 'the id of an approval', min: 1, max: 1 };

const approvals: Command = {
  name: 'approvals',
  summary: 'See what agents ask for, and answer',
  usage: 'approvals list|show|allow|deny|watch',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Approvals, newest first',
      usage: 'approvals list [--state STATE] [--limit N] [--json]',
      options: [
        {
          name: 'state',
          value: 'STATE',
          summary: 'Only pending, allowed, denied, expired or cancelled ones',
        },
        { name: 'limit', value: 'N', summary: 'How many (default 50)' },
        json,
      ],
      run: async (call) => (await import('./access/approvals.ts')).listApprovals(call),
    },
    {
      name: 'show',
      summary: 'One approval, with all of its input',
      usage: 'approvals show ID [--json]',
      options: [json],
      positionals: approvalId,
      run: async (call) => (await import('./access/approvals.ts')).showApproval(call),
    },
    {
      name: 'allow',
      summary: 'Let the call run',
      usage: 'approvals allow ID [--scope SCOPE] [--reason REASON] [--json]',
      options: [
        {
          name: 'scope',
          value: 'SCOPE',
          summary: 'once (default), session: the same call there, always: the same call of this role here',
        },
        reason,
        json,
      ],
      positionals: approvalId,
      run: async (call) => (await import('./access/approvals.ts')).allowApproval(call),
    },
    {
      name: 'deny',
      summary: 'Do not let the call run',
      usage: 'approvals deny ID [--reason REASON] [--json]',
      options: [{ ...reason, summary: 'Why; the agent is told' }, json],
      positionals: approvalId,
      run: async (call) => (await import('./access/approvals.ts')).denyApproval(call),
    },
    {
      name: 'watch',
      summary: 'Approvals as they are asked; at a terminal, answer them',
      usage: 'approvals watch [--json]',
      options: [{ name: 'json', summary: 'Print each, when asked and when ended, as a line of JSON' }],
      notes: 'Ctrl-C stops watching.',
      run: async (call) => (await import('./access/approvals-watch.ts')).watchApprovals(call),
    },
  ],
};

const questions: Command = {
  name: 'questions',
  summary: 'See what agents want to know, and answer',
  usage: 'questions list|answer',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Questions, newest first',
      usage: 'questions list [--state STATE] [--limit N] [--json]',
      options: [
        { name: 'state', value: 'STATE', summary: 'Only pending, answered, expired or cancelled ones' },
        { name: 'limit', value: 'N', summary: 'How many (default 50)' },
        json,
      ],
      run: async (call) => (await import('./access/questions.ts')).listQuestions(call),
    },
    {
      name: 'answer',
      summary: 'Answer a question, once',
      usage: 'questions answer ID ANSWER [--json]',
      options: [json],
      positionals: {
        name: 'the id of a question and an answer',
        min: 2,
        max: Number.POSITIVE_INFINITY,
      },
      notes: 'ANSWER is free text, or the number or name of a choice; of several choices, one word each.',
      run: async (call) => (await import('./access/questions.ts')).answerQuestion(call),
    },
  ],
};

const grants: Command = {
  name: 'grants',
  summary: 'Permissions that are remembered',
  usage: 'grants list|revoke',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Grants, with who gave them and how often they were used',
      usage: 'grants list [--json]',
      options: [json],
      run: async (call) => (await import('./access/grants.ts')).listGrants(call),
    },
    {
      name: 'revoke',
      summary: 'Take a permission back',
      usage: 'grants revoke ID',
      options: [],
      positionals: { name: 'the id of a grant', min: 1, max: 1 },
      run: async (call) => (await import('./access/grants.ts')).revokeGrant(call),
    },
  ],
};

const tokens: Command = {
  name: 'tokens',
  summary: 'Tokens for programs and other people',
  usage: 'tokens create|list|revoke',
  options: [],
  subcommands: [
    {
      name: 'create',
      summary: 'Make a token; its secret is printed this once',
      usage: 'tokens create NAME [--role ROLE] [--kind KIND] [--days N] [--json]',
      options: [
        { name: 'role', value: 'ROLE', summary: "Role of an agent's token: it calls the tools of this role" },
        { name: 'kind', value: 'KIND', summary: 'agent (default), or person: may do all that you may' },
        { name: 'days', value: 'N', summary: 'Days until it expires (default: never)' },
        json,
      ],
      positionals: { name: 'a name', min: 1, max: 1 },
      run: async (call) => (await import('./access/tokens.ts')).createToken(call),
    },
    {
      name: 'list',
      summary: 'Tokens, without their secrets',
      usage: 'tokens list [--json]',
      options: [json],
      run: async (call) => (await import('./access/tokens.ts')).listTokens(call),
    },
    {
      name: 'revoke',
      summary: 'Make a token useless',
      usage: 'tokens revoke ID',
      options: [],
      positionals: { name: 'the id of a token', min: 1, max: 1 },
      run: async (call) => (await import('./access/tokens.ts')).revokeToken(call),
    },
  ],
};

const roles: Command = {
  name: 'roles',
  summary: 'What agents may be, and may do',
  usage: 'roles list|show',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Roles here; broken role files are told on stderr',
      usage: 'roles list [--json]',
      options: [json],
      run: async (call) => (await import('./access/roles.ts')).listRoles(call),
    },
    {
      name: 'show',
      summary: 'One role and its instructions',
      usage: 'roles show NAME [--json]',
      options: [json],
      positionals: { name: 'the name of a role', min: 1, max: 1 },
      run: async (call) => (await import('./access/roles.ts')).showRole(call),
    },
  ],
};

const trust: Command = {
  name: 'trust',
  summary: "See what a workspace's own files would allow, and trust them",
  usage: 'trust [DIR] [--yes] [--json]',
  options: [{ name: 'yes', summary: 'Trust without being asked' }, json],
  positionals: { name: 'a directory', min: 0, max: 1 },
  notes: `Until then toolyard.yaml, roles and instructions in a workspace may only narrow what agents do. Trust is bound
to these files as they are: when one changes, it must be given again.`,
  run: async (call) => (await import('./access/trust.ts')).trust(call),
};

const audit: Command = {
  name: 'audit',
  summary: 'The evidence: what was decided about each call, and what came of it',
  usage: 'audit verify|export',
  options: [],
  subcommands: [
    {
      name: 'verify',
      summary: 'Is it whole and unchanged?',
      usage: 'audit verify [--json]',
      options: [json],
      notes: 'Exit codes: 0 whole, 1 broken; then it says at which row.',
      run: async (call) => (await import('./access/audit.ts')).verifyAudit(call),
    },
    {
      name: 'export',
      summary: 'Every row, oldest first, one line of JSON each',
      usage: 'audit export [--format jsonl] [--after N]',
      options: [
        { name: 'format', value: 'FORMAT', summary: 'jsonl (default)' },
        { name: 'after', value: 'N', summary: 'Only rows past this number' },
      ],
      run: async (call) => (await import('./access/audit.ts')).exportAudit(call),
    },
  ],
};

export const decisionCommands: readonly Command[] = [
  approvals,
  questions,
  grants,
  tokens,
  roles,
  trust,
  audit,
];
