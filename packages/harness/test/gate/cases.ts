// Every tool that an agent of the CLI can have, with the verdict of each mode, a call of it, and how to see on the disk
// or in what came back whether the call really ran.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionMode } from '@toolyard/sdk';
import { type Call, type Places, searched } from './claude-yard.ts';

export interface Expected {
  /** `absent`: the CLI itself knows no such tool here, and nobody has to judge. */
  verdict: 'runs' | 'asks' | 'refused' | 'absent';
  /** The rule that decided. */
  rule: string;
}

export interface Case {
  tool: string;
  modes: Record<PermissionMode, Expected>;
  /** The call under this tag: no other call has it. */
  input(tag: string, places: Places): Call['input'];
  files?(tag: string): Record<string, string>;
  /** A call that must come before, such as reading what is to be edited. */
  first?(tag: string, places: Places): Call;
  /** Has it really run? */
  ran(tag: string, text: string, places: Places): boolean;
}

const runs = (rule: string): Expected => ({ verdict: 'runs', rule });
const asks = (rule: string): Expected => ({ verdict: 'asks', rule });
const refused = (rule: string): Expected => ({ verdict: 'refused', rule });

const looks: Case['modes'] = {
  default: runs('tier auto, by the tool'),
  acceptEdits: runs('mode acceptEdits runs: read'),
  plan: runs('tier auto, by the tool'),
  bypassPermissions: runs('mode bypassPermissions runs: read'),
};

const writes: Case['modes'] = {
  default: asks('tier session, by the tool'),
  acceptEdits: runs('mode acceptEdits runs: write in workspace'),
  plan: refused('mode plan refuses: write in workspace'),
  bypassPermissions: runs('mode bypassPermissions runs: write in workspace'),
};

function acts(tier: 'session' | 'always'): Case['modes'] {
  return {
    default: asks(`tier ${tier}, by the tool`),
    acceptEdits: asks(`tier ${tier}, by the tool`),
    plan: refused('mode plan refuses: write elsewhere, execute, external'),
    bypassPermissions: runs('mode bypassPermissions runs: write elsewhere, execute, external'),
  };
}

const absent: Expected = { verdict: 'absent', rule: 'refused by the engine' };
const nowhere: Case['modes'] = {
  default: absent,
  acceptEdits: absent,
  plan: absent,
  bypassPermissions: absent,
};

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

const reading: Case[] = [
  {
    tool: 'claude:Read',
    modes: looks,
    files: (tag) => ({ [`read-${tag}.txt`]: `found ${tag}` }),
    input: (tag, { work }) => ({ file_path: join(work, `read-${tag}.txt`) }),
    ran: (tag, text) => text.includes(`found ${tag}`),
  },
  {
    tool: 'claude:Glob',
    modes: looks,
    files: (tag) => ({ [`glob-${tag}-found.txt`]: '' }),
    input: (tag) => ({ pattern: `glob-${tag}*` }),
    ran: (tag, text) => text.includes(`glob-${tag}-found.txt`),
  },
  {
    tool: 'claude:Grep',
    modes: looks,
    files: (tag) => ({ [`grep-${tag}.txt`]: `needle-${tag} in hay` }),
    input: (tag) => ({ pattern: `needle-${tag}`, output_mode: 'content' }),
    ran: (tag, text) => text.includes(`needle-${tag} in hay`),
  },
];

const notebook = JSON.stringify({
  cells: [
    { cell_type: 'code', id: 'one', metadata: {}, source: ['old'], outputs: [], execution_count: null },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});

const writing: Case[] = [
  {
    tool: 'claude:Write',
    modes: writes,
    input: (tag, { work }) => ({ file_path: join(work, `write-${tag}.txt`), content: tag }),
    ran: (tag, _, { work }) => textOf(join(work, `write-${tag}.txt`)) === tag,
  },
  {
    tool: 'claude:Edit',
    modes: writes,
    files: (tag) => ({ [`edit-${tag}.txt`]: 'old' }),
    first: (tag, { work }) => ({ tool: 'Read', input: { file_path: join(work, `edit-${tag}.txt`) } }),
    input: (tag, { work }) => ({
      file_path: join(work, `edit-${tag}.txt`),
      old_string: 'old',
      new_string: 'new',
    }),
    ran: (tag, _, { work }) => textOf(join(work, `edit-${tag}.txt`)) === 'new',
  },
  {
    tool: 'claude:NotebookEdit',
    modes: writes,
    files: (tag) => ({ [`book-${tag}.ipynb`]: notebook }),
    first: (tag, { work }) => ({ tool: 'Read', input: { file_path: join(work, `book-${tag}.ipynb`) } }),
    input: (tag, { work }) => ({
      notebook_path: join(work, `book-${tag}.ipynb`),
      cell_id: 'one',
      new_source: `new ${tag}`,
    }),
    ran: (tag, _, { work }) => textOf(join(work, `book-${tag}.ipynb`)).includes(`new ${tag}`),
  },
];

const acting: Case[] = [
  {
    tool: 'claude:Bash',
    modes: acts('session'),
    input: (tag) => ({ command: `echo ran >> bash-${tag}.txt`, description: 'writes a line' }),
    ran: (tag, _, { work }) => textOf(join(work, `bash-${tag}.txt`)) === 'ran\n',
  },
  {
    tool: 'claude:WebFetch',
    modes: acts('session'),
    // Offline it fails, and says for which host.
    input: (tag) => ({ url: `http://${tag.toLowerCase()}.invalid/`, prompt: 'read it' }),
    ran: (tag, text) => text.includes(`${tag.toLowerCase()}.invalid`),
  },
  {
    tool: 'claude:WebSearch',
    modes: acts('session'),
    input: (tag) => ({ query: tag }),
    ran: (_, text) => text.includes(searched),
  },
];

const taskFiles = ({ user }: Places) =>
  globSync('.claude/tasks/*/*.json', { cwd: user }).map((name) => textOf(join(user, name)));

/** The first task is the one that the first turn made. */
const ownNotes: Case[] = [
  {
    tool: 'claude:TaskCreate',
    modes: looks,
    input: (tag) => ({ subject: `made ${tag}`, description: 'a step' }),
    ran: (tag, _, places) => taskFiles(places).some((text) => text.includes(`made ${tag}`)),
  },
  {
    tool: 'claude:TaskUpdate',
    modes: looks,
    input: (tag) => ({ taskId: '1', description: `changed ${tag}` }),
    ran: (tag, _, places) => taskFiles(places).some((text) => text.includes(`changed ${tag}`)),
  },
  {
    tool: 'claude:TaskGet',
    modes: looks,
    input: () => ({ taskId: '1' }),
    ran: (_, text) => text.includes('made default'),
  },
  {
    tool: 'claude:TaskList',
    modes: looks,
    input: () => ({}),
    ran: (_, text) => text.includes('made default'),
  },
  {
    tool: 'claude:ToolSearch',
    modes: looks,
    input: () => ({ query: 'select:mcp__suite__look_1' }),
    ran: (_, text) => text.includes('mcp__suite__look_1'),
  },
];

const questions: Case[] = [
  {
    tool: 'claude:AskUserQuestion',
    modes: looks,
    input: (tag) => ({
      questions: [
        {
          question: 'Which one?',
          header: 'One',
          multiSelect: false,
          options: [`This ${tag}`, 'That'].map((label) => ({ label, description: label })),
        },
      ],
    }),
    ran: (tag, text) => text.includes(`This ${tag}`),
  },
  {
    // Where nothing is planned the CLI refuses by itself. What becomes of a plan, the tests of questions show.
    tool: 'claude:ExitPlanMode',
    modes: { ...nowhere, plan: runs('tier auto, by the tool') },
    input: () => ({ plan: 'A plan in words.' }),
    ran: (_, text) => text.includes('keep planning'),
  },
];

/** Not on this platform, only with a plugin, instead of its newer form, or with nothing in the background to stop. */
const elsewhere: Case[] = [
  'claude:LSP',
  'claude:PowerShell',
  'claude:TodoWrite',
  'claude:TaskStop',
  'claude:PlanFile',
].map((tool) => ({
  tool,
  modes: nowhere,
  ran: () => false,
  input: (tag) => ({ task_id: tag, filePath: 'a', command: `echo ran >> bash-${tag}.txt`, todos: [] }),
}));

const ofTheHost: Case[] = [
  {
    tool: 'mcp__suite__note',
    modes: acts('always'),
    input: (tag) => ({ tag }),
    ran: (tag, _, { work }) => textOf(join(work, `note-${tag}.txt`)) === 'ran\n',
  },
  {
    tool: 'mcp__toolyard__ping',
    modes: {
      ...looks,
      default: asks('tier session, by the tool'),
      plan: asks('tier session, by the tool'),
    },
    input: () => ({}),
    ran: (_, text) => text.includes('pong'),
  },
];

export const cases: readonly Case[] = [
  ...reading,
  ...writing,
  ...acting,
  ...ownNotes,
  ...questions,
  ...elsewhere,
  ...ofTheHost,
];
