// A home in the middle of its work, and what becomes of it: told once by the version that made it (make.ts), once by
// today's. Uses the public interface alone, so that both can tell it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval, Client, Event } from '@toolyard/sdk';

/** As much of a yard as the story needs. */
interface Yard {
  client(): Client;
  close(): Promise<void>;
}
export type OpenYard = (options: {
  home: string;
  env: Record<string, string>;
  workspace: string;
  rehearse: boolean;
  scenario: string;
  clock: { now(): number };
}) => Promise<Yard>;

/** Sessions remember where they work, so it must be the same place again. */
export const workspace = '/tmp/toolyard-old-home-workspace';

const toolyard = (name: string, input: object = {}) => ({
  call: { tool: `mcp__toolyard__${name}`, input },
});
const draft = (prompt: string, role: string) =>
  toolyard('draft_agent', { role, prompt, taskSlug: 'checkout' });
const wait = toolyard('await_agent', { agentId: '{{result.agentId}}' });
const rules = [
  {
    when: { userIs: ['granted', 'granted for always', 'denied', 'asked', 'agent asks'], step: 0 },
    reply: [toolyard('ping')],
  },
  { when: { userIs: 'plan', step: 0 }, reply: [draft('agent asks', 'asker')] },
  { when: { userIs: 'long plan', step: 0 }, reply: [draft('agent works', 'worker')] },
  { when: { userIs: ['plan', 'long plan'], step: 1 }, reply: [wait] },
  { when: { userIs: 'agent works' }, pace: { initialDelayMs: 600_000 }, reply: [{ text: 'late' }] },
  { reply: [{ text: '{{user}}: {{results}}' }] },
];
const toRole = (name: string) =>
  `---\nname: ${name}\ndescription: ${name}\ncategory: coding\ntools: { allow: [mcp__toolyard__ping] }\n---\nWork.\n`;

export function prepare(home: string): void {
  mkdirSync(workspace, { recursive: true });
  mkdirSync(join(home, 'roles'), { recursive: true, mode: 0o700 });
  const config = { defaults: { engine: 'native' }, claude: { spare: false } };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(config));
  writeFileSync(join(home, 'scenario.yaml'), JSON.stringify({ description: 'an old home', rules }));
  for (const name of ['asker', 'worker', 'keeper'])
    writeFileSync(join(home, 'roles', `${name}.md`), toRole(name));
}

function open(openYard: OpenYard, home: string, atMs = Date.now()): Promise<Yard> {
  const offset = atMs - Date.now();
  return openYard({
    home,
    workspace,
    env: { TOOLYARD_LOG: 'error' },
    rehearse: true,
    scenario: join(home, 'scenario.yaml'),
    clock: { now: () => Date.now() + offset },
  });
}

/** The first half. The caller kills the process when this resolves. */
export async function begin(openYard: OpenYard, home: string): Promise<void> {
  prepare(home);
  const client = (await open(openYard, home)).client();
  await client.tasks.create({ slug: 'checkout', description: 'A new checkout' });
  await client.tokens.create({ name: 'ci', kind: 'agent', role: 'worker' });
  await talk(client, { role: 'assistant' }, 'granted', 'session');
  await talk(client, { role: 'keeper' }, 'granted for always', 'always');
  await talk(client, { role: 'asker' }, 'denied', 'deny');
  await send(client, { role: 'asker' }, 'asked');
  await pendingIn(client, 1);
  await send(client, { role: 'coordinator', taskSlug: 'checkout' }, 'plan');
  await answer(client, await findPending(client, 'draft_agent'));
  await pendingIn(client, 2);
  await send(client, { role: 'coordinator', taskSlug: 'checkout', mode: 'bypassPermissions' }, 'long plan');
  await until(async () => {
    const { items } = await client.agents.list({ all: true });
    return `${items.map(({ status }) => status).sort()}` === 'running,waiting';
  });
  // The decision is stored with the call's start: from then on both plans wait.
  await until(async () => {
    const { items } = await client.audit.list({ limit: 200 });
    return items.filter(({ tool }) => tool?.endsWith('await_agent')).length === 2;
  });
}

/** The second half: what there is after a start at that moment, and what becomes of it when a person answers. */
export async function finish(openYard: OpenYard, home: string, atMs?: number): Promise<unknown> {
  prepare(home);
  const yard = await open(openYard, home, atMs);
  try {
    const client = yard.client();
    await until(async () => (await client.agents.list()).items.every(({ status }) => status !== 'running'));
    const approvals = await pendingIn(client, 2);
    const grants = await client.grants.list();
    const lifetimes = [...grants.items, ...approvals].map(toLifetime);
    const first = { grants, tokens: await client.tokens.list(), approvals, lifetimes };
    for (const approval of approvals) await answer(client, approval);
    await until(async () => (await client.sessions.list()).items.every(({ status }) => status === 'idle'));
    // Grants of before still hold.
    await send(client, { role: 'keeper' }, 'granted for always');
    const { items } = await client.sessions.list();
    await client.sessions.send(items.find(({ title }) => title === 'granted')?.id ?? '', 'granted');
    await until(async () => (await client.sessions.list()).items.every(({ status }) => status === 'idle'));
    return toComparable({ ...first, ...(await readAll(client)) });
  } finally {
    await yard.close();
  }
}

/** In minutes. */
function toLifetime({
  createdAt,
  expiresAt,
}: {
  createdAt: string;
  expiresAt: string | null;
}): number | null {
  return expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 60_000);
}

async function readAll(client: Client) {
  const sessions = (await client.sessions.list()).items;
  const logs: Event[][] = [];
  for (const { id, lastSeq } of sessions) {
    const log: Event[] = [];
    for await (const event of client.sessions.events(id)) {
      log.push(event);
      if (event.seq >= lastSeq) break;
    }
    logs.push(log);
  }
  return {
    sessions,
    logs: logs.map(toStory),
    agents: (await client.agents.list({ all: true })).items,
    task: await client.tasks.get('checkout'),
    grantsAfter: await client.grants.list(),
    audit: (await client.audit.list({ limit: 200 })).items,
    proof: await client.audit.verify(),
  };
}

async function send(
  client: Client,
  wanted: Parameters<Client['sessions']['create']>[0],
  text: string,
): Promise<string> {
  const { id } = await client.sessions.create({ ...wanted, title: text });
  await client.sessions.send(id, text);
  return id;
}

async function talk(
  client: Client,
  wanted: Parameters<Client['sessions']['create']>[0],
  text: string,
  said: 'session' | 'always' | 'deny',
): Promise<void> {
  const id = await send(client, wanted, text);
  const [approval] = await pendingIn(client, 1);
  const body =
    said === 'deny'
      ? ({ decision: 'deny', reason: 'not now' } as const)
      : ({ decision: 'allow', scope: said } as const);
  if (approval) await client.approvals.answer(approval.id, body);
  await until(async () => (await client.sessions.get(id)).status === 'idle');
}

async function pendingIn(client: Client, count: number): Promise<Approval[]> {
  const find = async () => (await client.approvals.list({ state: 'pending' })).items;
  await until(async () => (await find()).length === count);
  return find();
}

async function findPending(client: Client, tool: string): Promise<Approval> {
  const find = async () =>
    (await client.approvals.list({ state: 'pending' })).items.find((each) => each.tool.endsWith(tool));
  await until(async () => (await find()) !== undefined);
  const found = await find();
  if (!found) throw new Error(`nobody is asked about ${tool}`);
  return found;
}

async function answer(client: Client, { id }: Approval): Promise<void> {
  await client.approvals.answer(id, { decision: 'allow' });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`it never came to that: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** How text is cut into pieces depends on the moment, and so does where agents are heard of in between. */
function toStory(log: readonly Event[]) {
  const own: { type: string; data: unknown }[] = [];
  const ofAgents: Event['data'][] = [];
  for (const { type, data } of log) {
    const last = own.at(-1);
    if (type === 'agent_update') ofAgents.push(data);
    else if (type === 'text_delta' && last?.type === 'text_delta')
      last.data = { text: (last.data as { text: string }).text + data.text }; // a delta's, by its type
    else own.push({ type, data });
  }
  return { own, ofAgents };
}

/** Ids by the order in which they come; times, hashes and what depends on them as what they are. */
function toComparable({ audit, ...seen }: Awaited<ReturnType<typeof readAll>>): unknown {
  const names = new Map<string, string>();
  const toPlain = (value: unknown) =>
    JSON.stringify(value)
      .replace(/\b(ses|trn|apr|agt|grt|tok|toolu)_[A-Za-z0-9]+/g, (id, kind) => {
        if (!names.has(id)) names.set(id, `${kind}_${names.size}`);
        return names.get(id) ?? id;
      })
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'time')
      .replace(/((?:durationMs|inputTokens|outputTokens)\\*":)\d+/g, (_, key) => `${key}1`)
      .replace(/"(hash|previousHash|inputHash)":"[0-9a-f]{64}"/g, '"$1":"hash"');
  const plain = JSON.parse(toPlain(seen));
  // What several do at once is recorded in any order.
  const rows = audit.map(({ seq: _, ...row }) => toPlain(row)).sort();
  return { ...plain, audit: rows.map((row) => JSON.parse(row)) };
}

/** The wording of summaries and messages may change from version to version. */
export function withoutWording(seen: unknown): unknown {
  const text = JSON.stringify(seen);
  return JSON.parse(
    text.replace(/((?:summary|message)\\*":\\*")(?:[^"\\]|\\+[^"\\])*/g, (_, key) => `${key}sentence`),
  );
}
