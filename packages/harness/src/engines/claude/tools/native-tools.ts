// The built-in tools of the CLI that agents may have, as they are judged. What is not here is never offered to a model:
// `absent-tools.ts` says why, and a tool that a newer CLI brings stays out until somebody has looked at it.
import type { NativeTool } from '@toolyard/sdk';
import { fileAt, searchedByFilter, searchedByPattern, textAt, valueAt } from './touched-paths.ts';

export interface BuiltInTool extends NativeTool {
  /** For people: what a call touches. */
  touches: string;
  /** It is the agent's question to its person, which the engine turns into one. */
  isQuestion?: boolean;
  /** It runs what the model writes. */
  startsCommands?: true;
}

const reading: readonly BuiltInTool[] = [
  { ...toRead('Read'), paths: fileAt('file_path', 'read'), touches: 'the file' },
  { ...toRead('Glob'), paths: searchedByPattern, touches: 'the folder and what the pattern names' },
  {
    ...toRead('Grep'),
    paths: searchedByFilter,
    touches: 'the file, or the folder without likely secrets unless its filter names them',
  },
  {
    ...toRead('LSP'),
    paths: fileAt('filePath', 'read'),
    touches: 'the file; offered by the CLI with a plugin only',
  },
];

/** An edit shows what is around it, so it reads as well. */
const writing: readonly BuiltInTool[] = [
  { ...toWrite('Write'), paths: fileAt('file_path', 'write'), touches: 'the file' },
  { ...toWrite('Edit'), paths: fileAt('file_path', 'read', 'write'), touches: 'the file' },
  { ...toWrite('NotebookEdit'), paths: fileAt('notebook_path', 'read', 'write'), touches: 'the notebook' },
];

const acting: readonly BuiltInTool[] = [
  {
    ...toAct('Bash', 'session'),
    startsCommands: true,
    grantKey: commandOf,
    touches: 'whatever the command does',
  },
  {
    ...toAct('PowerShell', 'session'),
    startsCommands: true,
    grantKey: commandOf,
    touches: 'whatever the command does; offered by the CLI on Windows only',
  },
  { ...toAct('TaskStop', 'auto'), touches: 'a command of its own in the background' },
  // What is sent with a request can carry anything out of the workspace.
  { ...toAct('WebFetch', 'session'), grantKey: hostOf, touches: 'the host of the address' },
  {
    ...toAct('WebSearch', 'session'),
    grantKey: () => 'any query',
    touches: 'the search of the model’s provider',
  },
];

/** The agent's own notes, and finding the tools it has anyway. */
const ownNotes: readonly BuiltInTool[] = [
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'].map((name) => ({
    ...toRead(name),
    touches: 'its own list of steps',
  })),
  { ...toRead('TodoWrite'), touches: 'its own list of steps; the CLI offers either this or the four above' },
  { ...toRead('ToolSearch'), touches: 'the descriptions of tools it has' },
  // No tool of the CLI: its Read, Write and Edit of this one file are judged under this name.
  { ...toRead('PlanFile'), touches: 'the CLI’s own file for the plan of the session, while it plans' },
];

const questions: readonly BuiltInTool[] = [
  { ...toRead('AskUserQuestion'), isQuestion: true, touches: 'nothing: the person is asked' },
  { ...toRead('ExitPlanMode'), isQuestion: true, touches: 'nothing: the person is shown the plan' },
];

export const nativeTools: readonly BuiltInTool[] = [
  ...reading,
  ...writing,
  ...acting,
  ...ownNotes,
  ...questions,
];

/** As an engine has them: its commands say why they are not confined, if so. */
export function toNativeTools(unconfined: string | undefined): readonly BuiltInTool[] {
  if (unconfined === undefined) return nativeTools;
  return nativeTools.map((tool) => (tool.startsCommands ? { ...tool, unconfined } : tool));
}

function toRead(name: string) {
  return { name: `claude:${name}`, effect: 'read', tier: 'auto' } as const;
}

function toWrite(name: string) {
  return { name: `claude:${name}`, effect: 'write', tier: 'session' } as const;
}

function toAct<const T extends 'auto' | 'session'>(name: string, tier: T) {
  return { name: `claude:${name}`, effect: 'execute', tier } as const;
}

/** The exact command, never its beginning. Anything that makes it another call means the whole input. */
function commandOf(input: unknown): string | undefined {
  const command = textAt(input, 'command');
  const isPlain = valueAt(input, 'dangerouslyDisableSandbox') !== true;
  // The sign keeps a command that looks like a whole input apart from one.
  return command !== undefined && isPlain ? `$ ${command}` : undefined;
}

function hostOf(input: unknown): string | undefined {
  return URL.parse(textAt(input, 'url') ?? '')?.host || undefined;
}
