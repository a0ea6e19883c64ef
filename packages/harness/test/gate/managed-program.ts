// One turn of the real CLI on a computer with managed settings, and one by a person who trusts them. Prints what came of it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config, type EngineSpec, type TurnOutcome } from '@toolyard/sdk';
import { createRecordingHost } from '@toolyard/sdk/testing';
import { serveRehearsal } from '../../src/rehearsal/serve.ts';
import { openModelTap } from '../acceptance/model-tap.ts';
import { type ClaudeWorld, openClaudeWorld } from '../engines/claude/claude-world.ts';

const scenario = join(process.argv[2] ?? '', 'scenario.yaml');
const rules = [
  { when: { step: 0 }, reply: [{ call: { tool: 'Bash', input: { command: 'env', description: 'Look' } } }] },
  { reply: [{ text: 'Done.' }] },
];
writeFileSync(scenario, JSON.stringify({ rules }));

async function say(world: ClaudeWorld) {
  const asked: string[] = [];
  const host = createRecordingHost({
    judge(call) {
      asked.push(call.name);
      return { decision: 'allow', input: call.input };
    },
  });
  const spec: EngineSpec = {
    sessionId: 'ses_1',
    model: 'anthropic/claude-sonnet-5',
    instructions: '',
    cwd: world.cwd,
    maxSteps: 5,
    tools: [],
    nativeTools: ['claude:Bash'],
  };
  const session = await world.engine.start(spec);
  const outcome: TurnOutcome = await session.prompt({ kind: 'message', content: 'go' }, host);
  await session.close();
  await world.close();
  return { asked, outcome, environment: JSON.stringify(host.endings) };
}

const rehearsal = await serveRehearsal({ scenarioPath: scenario });
const tap = await openModelTap(rehearsal.url);
const access = async () => ({ ANTHROPIC_BASE_URL: tap.url, ANTHROPIC_API_KEY: 'any' });
const { asked, outcome, environment } = await say(await openClaudeWorld(scenario, { access }));
const config = { ...Config.parse({}).claude, spare: false, trustManagedSettings: true };
const trusting = await say(await openClaudeWorld(scenario, { access, config }));
await tap.close();
await rehearsal.close();
process.stdout.write(
  JSON.stringify({
    isThere: existsSync('/etc/claude-code/managed-settings.json'),
    outcome: outcome.outcome,
    asked,
    ran: environment.includes('PATH='),
    environment: environment.includes('WAS_HERE'),
    words: JSON.stringify(tap.asked).includes('swordfish'),
    trusting: 'error' in trusting.outcome && trusting.outcome.error.message,
  }),
);
