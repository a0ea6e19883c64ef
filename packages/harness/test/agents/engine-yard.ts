// A whole yard with the real engines in it, the native one and the real CLI, against a scripted model on loopback. A person
// in the test sees what stands in the root's log and answers it there.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent, AnswerApproval, Approval, Event, Question } from '@toolyard/sdk';
import { afterAll, vi } from 'vitest';
import { openYard } from '../../src/app.ts';
import { Scenario } from '../../src/rehearsal/scenarios/scenario.ts';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { quiet } from '../support/yard.ts';

/** What is to be closed when the tests of the file are done, some of which run side by side; the last first. */
const closing: (() => Promise<void>)[] = [];

/** For each file that opens yards here, at its top. */
export function setEngineStage(): void {
  // A tree of real CLIs takes its time on a machine that is busy with others.
  vi.setConfig({ testTimeout: 60_000 });
  afterAll(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
}

export const engines = ['native', 'claude'] as const;
export type EngineName = (typeof engines)[number];

export interface EngineYardOptions {
  /** A file beside the tests, or rules. */
  scenario: string | readonly unknown[];
  /** Of config.yaml, beside what every test here wants. */
  config?: object;
  /** Of `$TOOLYARD_HOME/roles`, by name. */
  roles?: Record<string, string>;
}

export interface Places {
  home: string;
  user: string;
  work: string;
}

export type EngineYard = Awaited<ReturnType<typeof openEngineYard>>;

export async function openEngineYard({ scenario, config = {}, roles = {} }: EngineYardOptions) {
  const places = makePlaces(config, roles);
  const rehearsal = await serveRehearsal(toModel(scenario));
  closing.push(async () => {
    await rehearsal.close();
    rmSync(join(places.home, '..'), { recursive: true, force: true, maxRetries: 5 });
  });
  const first = await openIn(places, rehearsal.url);
  /** Stops it and starts another on the same home. */
  const again = async () => {
    await first.yard.close();
    return openIn(places, rehearsal.url);
  };
  return { ...first, again };
}

async function openIn(places: Places, modelUrl: string) {
  const yard = await openYard({
    home: places.home,
    workspace: places.work,
    logger: quiet,
    env: {
      PATH: process.env.PATH,
      HOME: places.user,
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'any',
    },
  });
  closing.push(() => yard.close());
  const client = yard.client();
  return {
    ...places,
    yard,
    client,
    agents: async (): Promise<Agent[]> =>
      (await client.agents.list({ all: true, limit: 500 })).items.reverse(),
    /** Opens a session and sends it a message, to the end of its turn. Whoever is asked answers. */
    async ask(content: string, { person = {}, ...wanted }: Wanted): Promise<Told> {
      const { id } = await client.sessions.create({
        mode: 'bypassPermissions',
        role: 'coordinator',
        ...wanted,
      });
      const { turnId } = await client.sessions.send(id, content);
      return read(client, { id, turnId }, person);
    },
  };
}

function makePlaces(config: object, roles: Record<string, string>): Places {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-agents-')));
  const places = { home: join(root, 'home'), user: join(root, 'user'), work: join(root, 'work') };
  for (const folder of Object.values(places)) mkdirSync(folder, { mode: 0o700 });
  // A spare process only takes time from tests that do not need it. What JSON says, YAML understands.
  writeFileSync(join(places.home, 'config.yaml'), JSON.stringify({ claude: { spare: false }, ...config }));
  mkdirSync(join(places.home, 'roles'));
  for (const [name, text] of Object.entries(roles))
    writeFileSync(join(places.home, 'roles', `${name}.md`), text);
  return places;
}

function toModel(scenario: EngineYardOptions['scenario']) {
  if (typeof scenario === 'string')
    return { scenarioPath: fileURLToPath(new URL(scenario, import.meta.url)) };
  return { scenarios: [Scenario.parse({ description: 'for a test', rules: scenario })] };
}

interface Wanted {
  engine: EngineName;
  role?: string;
  mode?: 'default' | 'acceptEdits' | 'bypassPermissions';
  taskSlug?: string;
  person?: Person;
}

/** How what is asked at the root is answered; what is not answered waits on. */
export interface Person {
  approve?(approval: Approval): AnswerApproval | undefined;
  answer?(question: Question): string;
}

export interface Told {
  sessionId: string;
  turnId: string;
  events: Event[];
  outcome: string;
  code: string | undefined;
  /** All that it said, and what came of its calls, in order. */
  text: string;
  outputs: unknown[];
}

const patienceMs = 55_000;

/** Reads a root's log to the end of a turn. */
export async function read(
  client: EngineYard['client'],
  { id, turnId }: { id: string; turnId: string },
  person: Person = {},
): Promise<Told> {
  const events: Event[] = [];
  for await (const event of client.sessions.events(id, { signal: AbortSignal.timeout(patienceMs) })) {
    events.push(event);
    if (event.type === 'approval_required') {
      const given = person.approve?.(event.data.approval);
      if (given) await client.approvals.answer(event.data.approval.id, given);
    }
    if (event.type === 'question_required' && person.answer)
      await client.questions.answer(event.data.question.id, person.answer(event.data.question));
    if (event.type !== 'turn_end' || event.data.turnId !== turnId) continue;
    const { outcome, error } = event.data;
    return { sessionId: id, turnId, events, outcome, code: error?.code, ...toSaid(events) };
  }
  throw new Error(`the turn did not end: ${events.map(({ type }) => type).join(' ')}`);
}

function toSaid(events: readonly Event[]): Pick<Told, 'text' | 'outputs'> {
  return {
    text: events.flatMap((event) => (event.type === 'text_delta' ? event.data.text : [])).join(''),
    outputs: events.flatMap((event) => (event.type === 'tool_result' ? [toJson(event.data.output)] : [])),
  };
}

/** The CLI hands results on as text. */
function toJson(output: unknown): unknown {
  if (typeof output !== 'string') return output;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

/** What `find` comes to, as soon as it comes to something. */
export async function until<T>(
  otherwise: string,
  find: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const found = await find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(otherwise);
}
