// `npm run screenshots -- FOLDER [--only NAME,NAME]`: a picture of each screen in the light, in the dark and on a phone, with content that
// looks like work. Look at them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Client, createClient, pause } from '@toolyard/sdk';
import type { Browser, Page } from 'playwright-core';
import { openYard } from '../packages/harness/src/app.ts';
import { startChromium } from '../packages/web/test/support/chromium.ts';
import { doneTask, writeAgents } from './screenshots/agents.ts';
import { writeUsage } from './screenshots/home.ts';
import { projectKit } from './screenshots/kit.ts';
import { questions, scenario } from './screenshots/scenario.ts';

const looks = [
  { name: 'light', width: 1280, height: 820, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 820, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
] as const;

interface Sessions {
  talk: string;
  asking: string;
  plan: string;
  agent: string;
}

interface Screen {
  name: string;
  path(sessions: Sessions): string;
  /** What to do before the picture is taken. */
  prepare?(page: Page): Promise<unknown>;
}

const openTree = (page: Page) => page.getByRole('button', { name: 'Show this tree' }).last().click();
const tabs = ['configuration', 'tokens', 'grants', 'trust', 'roles', 'doctor'];
const screens: readonly Screen[] = [
  { name: 'start', path: () => '/' },
  {
    name: 'conversation',
    path: ({ talk }) => `/sessions/${talk}`,
  },
  { name: 'approval', path: ({ asking }) => `/sessions/${asking}` },
  { name: 'coordinator', path: ({ plan }) => `/sessions/${plan}` },
  { name: 'agent', path: ({ agent }) => `/sessions/${agent}` },
  { name: 'inbox', path: () => '/inbox' },
  { name: 'agents', path: () => '/agents', prepare: openTree },
  { name: 'draft', path: () => '/agents', prepare: (page) => page.getByText('Draft an agent').click() },
  { name: 'tasks', path: () => '/tasks' },
  { name: 'task', path: () => `/tasks/${doneTask}` },
  { name: 'task-context', path: () => `/tasks/${doneTask}?tab=context` },
  { name: 'tools', path: () => '/tools' },
  { name: 'audit', path: () => '/audit' },
  { name: 'usage', path: () => '/usage?range=30d' },
  ...tabs.map((tab) => ({ name: `settings-${tab}`, path: () => `/settings?tab=${tab}` })),
  { name: 'find', path: () => '/inbox', prepare: (page) => page.keyboard.press('Control+k') },
  { name: 'keys', path: () => '/tools', prepare: (page) => page.keyboard.press('?') },
];

async function talk(client: Client): Promise<Sessions> {
  const begin = async (...words: string[]): Promise<string> => {
    const { id } = await client.sessions.create({ engine: 'native' });
    for (const each of words) await client.sessions.send(id, each);
    return id;
  };
  await begin(questions.fail);
  const allowed = await begin(questions.test);
  await begin(questions.test);
  const asking = await begin(questions.find, questions.fix);
  const found = await begin(questions.find);
  const { id: plan } = await client.sessions.create({
    engine: 'native',
    role: 'coordinator',
    mode: 'acceptEdits',
    taskSlug: 'checkout',
  });
  await client.sessions.send(plan, questions.plan);
  await until(async () => (await client.approvals.list({ state: 'pending' })).items.length === 4);
  const { items } = await client.approvals.list({ state: 'pending', sessionId: allowed });
  for (const one of items) await client.approvals.answer(one.id, { decision: 'allow', scope: 'always' });
  await client.sessions.change(allowed, { title: 'Check the price client' });
  await client.tokens.create({ name: 'build machine', kind: 'agent', role: 'assistant' });
  const { items: agents } = await client.agents.list({ rootSessionId: plan });
  const agent = agents.find(({ role }) => role === 'assistant')?.sessionId ?? plan;
  return { talk: found, asking, plan, agent };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await isSo()) return;
    await pause(100);
  }
  throw new Error('the conversations that the pictures show did not come about');
}

async function takeAll(browser: Browser, client: Client, origin: string, folder: string): Promise<void> {
  const sessions = await talk(client);
  for (const { name: look, width, height, colorScheme } of looks) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: 'reduce',
      hasTouch: look === 'phone',
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(`${look}: ${error.message}`));
    await page.goto((await client.createLoginLink()).url);
    // Drawn, it has followed the link.
    await page.locator('#root > *').first().waitFor();
    for (const { name, path, prepare } of wanted) {
      await page.goto(`${origin}${path(sessions)}`);
      await page.waitForLoadState('networkidle').catch(() => {});
      await page.waitForTimeout(700);
      await prepare?.(page);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
    }
    await context.close();
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [given = 'screenshots'] = positionals;
const wanted = screens.filter(({ name }) => !values.only || values.only.split(',').includes(name));
// npm runs scripts in the root; a path is meant from where the person is.
const folder = resolve(process.env.INIT_CWD ?? process.cwd(), given);
await mkdir(folder, { recursive: true });
const root = await mkdtemp(join(tmpdir(), 'shop-'));
const project = join(root, 'price-shop');
await mkdir(project);
await writeFile(join(root, 'scenario.yaml'), JSON.stringify(scenario));
const home = join(root, 'home');
await mkdir(home, { mode: 0o700 });
await writeUsage(home);
await writeAgents(home);
const yard = await openYard({
  home,
  workspace: project,
  rehearse: true,
  scenario: join(root, 'scenario.yaml'),
  toolkits: [projectKit],
  env: { PATH: process.env.PATH, HOME: root, TOOLYARD_LOG: 'silent' },
});
const browser = await startChromium();
try {
  const { url } = await yard.listen({ host: '127.0.0.1', port: 0 });
  await takeAll(browser, createClient({ baseUrl: url, token: yard.token }), url, folder);
  console.log(`${looks.length * wanted.length} pictures in ${folder}`);
} finally {
  await browser.close();
  await yard.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}
