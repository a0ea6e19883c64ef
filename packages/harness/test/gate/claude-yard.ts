// A whole yard with the real CLI in it. The scripted model makes the calls a test wants, a person in the test answers,
// and what comes of each call is gathered from the log and the evidence.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AnswerApproval,
  type Approval,
  type AuditRow,
  type Event,
  type PermissionMode,
  type Question,
  ToolyardError,
} from '@toolyard/sdk';
import { afterAll } from 'vitest';
import { openYard, type Yard, type YardOptions } from '../../src/app.ts';
import { Scenario } from '../../src/rehearsal/scenarios/scenario.ts';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { quiet } from '../support/yard.ts';

export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

export interface Places {
  /** TOOLYARD_HOME. */
  home: string;
  /** The person's home directory, where the CLI keeps its own files. */
  user: string;
  /** Where the agent works. */
  work: string;
}

/** What the model does when it hears a message: one round of calls after the other. */
export type Script = Record<string, readonly (readonly Call[])[]>;

export interface ClaudeYardOptions extends Partial<YardOptions> {
  script(places: Places): Script;
  /** Rules of the scripted model that are asked before the script. */
  rules?: unknown[];
  /** The text of config.yaml. */
  config?: string;
  /** Stands before the scripted model: takes its address, gives another. */
  front?(url: string): Promise<string>;
}

/** Folders for one file of tests, gone when it is done. */
export function makePlaces(): Places {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-gate-')));
  afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const places = { home: join(root, 'home'), user: join(root, 'user'), work: join(root, 'work') };
  for (const folder of Object.values(places)) mkdirSync(folder, { mode: 0o700 });
  return places;
}

/** Open until the tests of the file are done: a CLI takes a while to start. */
export async function openClaudeYard({
  script,
  rules = [],
  config = '',
  front,
  ...options
}: ClaudeYardOptions) {
  const places = makePlaces();
  // A spare process only takes time from tests that do not need it.
  writeFileSync(join(places.home, 'config.yaml'), `claude: { spare: false }\n${config}`);
  const rehearsal = await serveRehearsal({ scenarios: [toScenario(script(places), rules)] });
  const yard = await openYard({
    home: places.home,
    env: {
      PATH: process.env.PATH,
      HOME: places.user,
      ANTHROPIC_BASE_URL: (await front?.(rehearsal.url)) ?? rehearsal.url,
      ANTHROPIC_API_KEY: 'any',
    },
    workspace: places.work,
    logger: quiet,
    ...options,
  });
  afterAll(async () => {
    await yard.close();
    await rehearsal.close();
  });
  return { ...places, yard, client: yard.client(), rehearsal };
}

export type ClaudeYard = Awaited<ReturnType<typeof openClaudeYard>>;

export const searched = 'The search of the scripted model has run.';

function toScenario(script: Script, first: unknown[]): Scenario {
  const rules = Object.entries(script).flatMap(([message, rounds]) => [
    ...rounds.map((calls, step) => ({
      when: { userIs: message, step },
      reply: calls.map((call) => ({ call })),
    })),
    { when: { userIs: message }, reply: [{ text: 'Heard: {{results}}' }] },
  ]);
  const search = { when: { user: 'Perform a web search' }, reply: [{ text: searched }] };
  const other = { reply: [{ text: 'Heard nothing.' }] };
  return Scenario.parse({
    description: 'calls what a test wants',
    rules: [search, ...first, ...rules, other],
  });
}

/** How the person answers. Whatever is not said is allowed once, and the first option chosen. */
export interface Person {
  approve?(approval: Approval): Promise<AnswerApproval> | AnswerApproval;
  answer?(question: Question): Promise<Question['answer']> | Question['answer'];
}

/** One call as the log tells it. */
export interface Seen {
  id: string;
  tool: string;
  input: unknown;
  approval?: Approval;
  /** What the model read. */
  text: string;
  isError: boolean;
  outcome?: 'unknown';
  /** The evidence about it, in order. */
  audit: AuditRow[];
}

export interface Turn {
  events: Event[];
  calls: Seen[];
  /** All that the model said. */
  text: string;
  outcome: string;
}

/** Sends a message, answers what is asked, and reads up to the turn's end. */
export async function converse(
  { client, yard }: Pick<ClaudeYard, 'client' | 'yard'>,
  sessionId: string,
  message: string,
  person: Person = {},
): Promise<Turn> {
  const { turnId, seq } = await client.sessions.send(sessionId, message);
  const events: Event[] = [];
  const signal = AbortSignal.timeout(25_000);
  for await (const event of client.sessions.events(sessionId, { after: seq, signal })) {
    events.push(event);
    if (event.type === 'approval_required') await approve(yard, event.data.approval, person);
    if (event.type === 'question_required') await answer(yard, event.data.question, person);
    if (event.type === 'turn_end' && event.data.turnId === turnId)
      return toTurn(events, event.data.outcome, await readAudit(yard, turnId));
  }
  throw new Error(`the turn did not end: ${JSON.stringify(events.map(({ type }) => type))}`);
}

async function approve(yard: Yard, approval: Approval, person: Person): Promise<void> {
  const given = (await person.approve?.(approval)) ?? { decision: 'allow' };
  await yard.client().approvals.answer(approval.id, given).catch(ignoreLate);
}

async function answer(yard: Yard, question: Question, person: Person): Promise<void> {
  const [first] = question.options ?? [];
  const given = person.answer ? await person.answer(question) : (first?.label ?? 'yes');
  // Somebody who does not answer.
  if (given === undefined) return;
  await yard.client().questions.answer(question.id, given).catch(ignoreLate);
}

/** A grant for the session answers for what was asked at the same time. */
function ignoreLate(thrown: unknown): void {
  if (!(thrown instanceof ToolyardError && thrown.code === 'already_answered')) throw thrown;
}

export async function readAudit(yard: Yard, turnId?: string): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (;;) {
    const { items } = await yard.client().audit.list({ after: rows.length, limit: 1_000 });
    rows.push(...items);
    if (items.length < 1_000) return turnId ? rows.filter((row) => row.turnId === turnId) : rows;
  }
}

function toTurn(events: Event[], outcome: string, audit: readonly AuditRow[]): Turn {
  const calls = new Map<string, Seen>();
  const text: string[] = [];
  for (const event of events) {
    if (event.type === 'text_delta') text.push(event.data.text);
    if (event.type === 'tool_call_start') {
      const { toolCallId: id, tool } = event.data;
      const own = audit.filter((row) => row.toolCallId === id);
      calls.set(id, { id, tool, input: undefined, text: '', isError: false, audit: own });
    }
    if (event.type === 'tool_call_end') change(calls, event.data.toolCallId, { input: event.data.input });
    if (event.type === 'approval_required') {
      const { approval } = event.data;
      change(calls, approval.toolCallId, { approval });
    }
    if (event.type === 'tool_result') {
      const { toolCallId, output, isError, outcome: unknown } = event.data;
      const read = typeof output === 'string' ? output : JSON.stringify(output);
      change(calls, toolCallId, { text: read, isError, ...(unknown && { outcome: unknown }) });
    }
  }
  return { events, calls: [...calls.values()], text: text.join(''), outcome };
}

function change(calls: Map<string, Seen>, id: string, seen: Partial<Seen>): void {
  const call = calls.get(id);
  if (call) Object.assign(call, seen);
}

export function newSession({ client, work }: ClaudeYard, mode: PermissionMode = 'default') {
  return client.sessions.create({ engine: 'claude', mode, cwd: work });
}

/** One session for tests that need none of their own: a CLI takes a while to start. Gives it the mode that is wanted. */
export function shareSession(yard: ClaudeYard) {
  let shared: ReturnType<typeof newSession> | undefined;
  return async (mode: PermissionMode = 'default') => {
    shared ??= newSession(yard);
    return yard.client.sessions.change((await shared).id, { mode });
  };
}
