// The commands about permissions, as data: approvals, questions, grants, tokens, roles, trust and audit.
import type { Command } from './command-line/arguments.ts';
import { json } from './command-line/options.ts';

const reason = { name: 'reason', value: 'REASON', summary: 'Reason; stored with the answer' };
const approvalId = { name: 'the id of an approval', min: 1, max: 1 };

const approvals: Command = {
  name: 'approvals',
  summary: 'List approvals and answer them',
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
          summary: 'Only approvals in this state: pending, allowed, denied, expired or cancelled',
        },
        { name: 'limit', value: 'N', summary: 'Maximum number (default 50)' },
        json,
      ],
      run: async (call) => (await import('./decisions/approvals.ts')).listApprovals(call),
    },
    {
      name: 'show',
      summary: 'One approval with its full input',
      usage: 'approvals show ID [--json]',
      options: [json],
      positionals: approvalId,
      run: async (call) => (await import('./decisions/approvals.ts')).showApproval(call),
    },
    {
      name: 'allow',
      summary: 'Allow the call',
      usage: 'approvals allow ID [--scope SCOPE] [--reason REASON] [--json]',
      options: [
        {
          name: 'scope',
          value: 'SCOPE',
          summary:
            'once (default), session: same call in this session, always: same call by this role in this workspace',
        },
        reason,
        json,
      ],
      positionals: approvalId,
      run: async (call) => (await import('./decisions/approvals.ts')).allowApproval(call),
    },
    {
      name: 'deny',
      summary: 'Deny the call',
      usage: 'approvals deny ID [--reason REASON] [--json]',
      options: [{ ...reason, summary: 'Reason; the agent sees it' }, json],
      positionals: approvalId,
      run: async (call) => (await import('./decisions/approvals.ts')).denyApproval(call),
    },
    {
      name: 'watch',
      summary: 'Approvals as they are asked; at a terminal, answer them',
      usage: 'approvals watch [--json]',
      options: [
        { name: 'json', summary: 'Print one line of JSON when an approval is asked and when it ends' },
      ],
      notes: 'Ctrl-C stops watching.',
      run: async (call) => (await import('./decisions/approvals-watch.ts')).watchApprovals(call),
    },
  ],
};

const questions: Command = {
  name: 'questions',
  summary: 'List questions from agents and answer them',
  usage: 'questions list|answer',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Questions, newest first',
      usage: 'questions list [--state STATE] [--limit N] [--json]',
      options: [
        {
          name: 'state',
          value: 'STATE',
          summary: 'Only questions in this state: pending, answered, expired or cancelled',
        },
        { name: 'limit', value: 'N', summary: 'Maximum number (default 50)' },
        json,
      ],
      run: async (call) => (await import('./decisions/questions.ts')).listQuestions(call),
    },
    {
      name: 'answer',
      summary: 'Answer a question; only the first answer counts',
      usage: 'questions answer ID ANSWER [--json]',
      options: [json],
      positionals: {
        name: 'the id of a question and an answer',
        min: 2,
        max: Number.POSITIVE_INFINITY,
      },
      notes:
        'ANSWER is free text, or the number or name of a choice. For several choices, write one argument each.',
      run: async (call) => (await import('./decisions/questions.ts')).answerQuestion(call),
    },
  ],
};

const grants: Command = {
  name: 'grants',
  summary: 'List and revoke grants, which are remembered permissions',
  usage: 'grants list|revoke',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Grants, with who gave them and how often they were used',
      usage: 'grants list [--json]',
      options: [json],
      run: async (call) => (await import('./decisions/grants.ts')).listGrants(call),
    },
    {
      name: 'revoke',
      summary: 'Revoke a grant',
      usage: 'grants revoke ID',
      options: [],
      positionals: { name: 'the id of a grant', min: 1, max: 1 },
      run: async (call) => (await import('./decisions/grants.ts')).revokeGrant(call),
    },
  ],
};

const tokens: Command = {
  name: 'tokens',
  summary: 'Manage tokens for programs and other people',
  usage: 'tokens create|list|revoke',
  options: [],
  subcommands: [
    {
      name: 'create',
      summary: 'Create a token; its secret is printed only once',
      usage: 'tokens create NAME [--role ROLE] [--kind KIND] [--days N] [--json]',
      options: [
        {
          name: 'role',
          value: 'ROLE',
          summary: 'Role of an agent token, which can call the tools of this role',
        },
        {
          name: 'kind',
          value: 'KIND',
          summary: 'agent (default), or person, which can do everything that you can',
        },
        { name: 'days', value: 'N', summary: 'Days until it expires (default: never)' },
        json,
      ],
      positionals: { name: 'a name', min: 1, max: 1 },
      run: async (call) => (await import('./decisions/tokens.ts')).createToken(call),
    },
    {
      name: 'list',
      summary: 'Tokens, without their secrets',
      usage: 'tokens list [--json]',
      options: [json],
      run: async (call) => (await import('./decisions/tokens.ts')).listTokens(call),
    },
    {
      name: 'revoke',
      summary: 'Revoke a token',
      usage: 'tokens revoke ID',
      options: [],
      positionals: { name: 'the id of a token', min: 1, max: 1 },
      run: async (call) => (await import('./decisions/tokens.ts')).revokeToken(call),
    },
  ],
};

const roles: Command = {
  name: 'roles',
  summary: 'List roles and show one',
  usage: 'roles list|show',
  options: [],
  subcommands: [
    {
      name: 'list',
      summary: 'Roles; broken role files are reported on stderr',
      usage: 'roles list [--json]',
      options: [json],
      run: async (call) => (await import('./decisions/roles.ts')).listRoles(call),
    },
    {
      name: 'show',
      summary: 'One role and its instructions',
      usage: 'roles show NAME [--json]',
      options: [json],
      positionals: { name: 'the name of a role', min: 1, max: 1 },
      run: async (call) => (await import('./decisions/roles.ts')).showRole(call),
    },
  ],
};

const trust: Command = {
  name: 'trust',
  summary: "Show what a workspace's own files would allow, and trust them",
  usage: 'trust [DIR] [--yes] [--json]',
  options: [{ name: 'yes', summary: 'Do not ask for confirmation' }, json],
  positionals: { name: 'a directory', min: 0, max: 1 },
  notes: `Until you trust a workspace, its toolyard.yaml, roles and instructions can only narrow what agents do. Trust
applies to these files as they are: when one changes, you must trust the workspace again.`,
  run: async (call) => (await import('./decisions/trust.ts')).trust(call),
};

const audit: Command = {
  name: 'audit',
  summary: 'Verify and export the audit: every decision on a call, and its result',
  usage: 'audit verify|export',
  options: [],
  subcommands: [
    {
      name: 'verify',
      summary: 'Verify that the audit is complete and unchanged',
      usage: 'audit verify [--json]',
      options: [json],
      notes: 'Exit codes: 0 intact, 1 broken; the output names the row.',
      run: async (call) => (await import('./decisions/audit.ts')).verifyAudit(call),
    },
    {
      name: 'export',
      summary: 'Print every row, oldest first, as one line of JSON each',
      usage: 'audit export [--format jsonl] [--after N]',
      options: [
        { name: 'format', value: 'FORMAT', summary: 'jsonl (default)' },
        { name: 'after', value: 'N', summary: 'Only rows after this number' },
      ],
      run: async (call) => (await import('./decisions/audit.ts')).exportAudit(call),
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
