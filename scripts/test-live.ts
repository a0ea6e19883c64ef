// `npm run test:live`: a few real turns against the real service, for people with a key or a login. It says what it will
// spend and does nothing before it is told to; `npm test` and the checks never come here.
import { spawn } from 'node:child_process';
import { findAnthropicAccess, hasClaudeLogin } from '../packages/harness/src/core/models/credentials.ts';

const cheapModel = 'anthropic/claude-haiku-4-5';

/** What the turns take, measured: Claude Code sends its instructions and tools, about 16,000 tokens, with each step. */
const tokensIn = { native: 15_000, claude: 160_000 } as const;
type EngineName = keyof typeof tokensIn;

export interface Plan {
  engines: EngineName[];
  model: string;
  text: string;
}

/** What would be done with this environment; nothing without a key or a login. */
export function toPlan(env: NodeJS.ProcessEnv): Plan | undefined {
  const hasKey = findAnthropicAccess(env) !== undefined;
  if (!hasKey && !hasClaudeLogin(env)) return undefined;
  const engines: EngineName[] = hasKey ? ['native', 'claude'] : ['claude'];
  const model = env.TOOLYARD_LIVE_MODEL || cheapModel;
  const tokens = engines.reduce((sum, engine) => sum + tokensIn[engine], 0);
  const text = `This talks to ${env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com'} with ${hasKey ? 'your key' : 'your login of Claude Code'} and spends from that account:

  model    ${model} (TOOLYARD_LIVE_MODEL names another)
  engines  ${engines.join(', ')}${hasKey ? '' : '; the native engine needs a key'}
  turns    ${engines.length * 3}, of two or three short steps each
  tokens   about ${tokens.toLocaleString('en-US')} in and 2,000 out; at one dollar a million in and five out, ${toDollars(tokens)}
`;
  return { engines, model, text };
}

function toDollars(tokens: number): string {
  return `$${(tokens / 1e6 + (2_000 * 5) / 1e6).toFixed(2)}`;
}

const nothingToUse = `There is neither a key nor a login, so nothing was asked. Set ANTHROPIC_API_KEY, or run \`claude\` and log in with /login.
Everything else is tested without either: npm test`;

function runTests({ engines, model }: Plan): Promise<number> {
  const words = ['exec', '--', 'vitest', 'run', '--config', 'vitest.live.config.ts'];
  const env = { ...process.env, TOOLYARD_LIVE_ENGINES: engines.join(','), TOOLYARD_LIVE_MODEL: model };
  const child = spawn('npm', words, { cwd: `${import.meta.dirname}/..`, env, stdio: 'inherit' });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

if (import.meta.main) {
  const plan = toPlan(process.env);
  if (!plan) {
    console.error(nothingToUse);
    process.exitCode = 2;
  } else {
    console.log(plan.text);
    if (process.argv.includes('--yes')) process.exitCode = await runTests(plan);
    else {
      console.error('Nothing was asked yet. To go on: npm run test:live -- --yes');
      process.exitCode = 2;
    }
  }
}
