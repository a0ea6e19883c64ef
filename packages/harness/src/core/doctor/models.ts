// Which models can be reached, and through which engines. Names only: no key is ever shown.
import { Config } from '@toolyard/sdk';
import { findAccess, withDefaultModel } from '../models/default-model.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import type { DoctorProbes, OutsideSettingFacts } from './probes.ts';

export async function checkModel({ readConfig, env, answers }: DoctorProbes): Promise<Finding> {
  const name = 'model';
  // A broken file is a finding of its own.
  const config = await readConfig().then(
    ({ config }) => config,
    () => Config.parse({}),
  );
  const { defaults, providers } = withDefaultModel(config, env);
  const { anthropic, login, others } = findAccess(env, config);
  const found = [
    ...(anthropic ? ['Anthropic, with the key in the environment'] : []),
    ...(!anthropic && login ? ['Anthropic, with your Claude Code login, for the claude engine only'] : []),
    ...(others.length > 0 ? [`others: ${others.map((provider) => provider.name).join(', ')}`] : []),
  ];
  if (found.length === 0) {
    const fix = 'Run `claude` and log in with /login, or set ANTHROPIC_API_KEY; then start again.';
    return warn(name, 'no login and no key found: the scripted rehearsal model answers', fix);
  }
  const configured = others.filter((provider) => provider.configured);
  for (const { name: who, baseUrl } of configured) {
    if (await answers(baseUrl)) continue;
    const fix = `Start that server, or correct providers.${who}.baseUrl in config.yaml.`;
    return warn(name, `nothing answers at ${baseUrl}, the address of ${who}`, fix);
  }
  const [wanted] = defaults.model.split('/');
  const hasWanted = others.some((provider) => provider.name === wanted);
  const isAnthropic = wanted === 'anthropic' && !Object.hasOwn(providers, 'anthropic');
  if (isAnthropic ? anthropic || login : hasWanted) return ok(name, found.join('; '));
  const message = `${found.join('; ')}; but there is no access to ${defaults.model}, the default model`;
  return warn(
    name,
    message,
    'Set defaults.model in config.yaml to a model that you can use: see `toolyard models list`.',
  );
}

export async function checkClaude({ readConfig, probeClaude }: DoctorProbes): Promise<Finding> {
  const name = 'claude';
  // A broken file is a finding of its own.
  const executable = await readConfig().then(
    ({ config }) => config.claude.executable,
    () => undefined,
  );
  const { sdk, cli, command, isOld, problem } = await probeClaude(executable);
  const install = 'npm install @anthropic-ai/claude-agent-sdk';
  if (!sdk) {
    return warn(name, 'the Claude Agent SDK is not installed: sessions run on the native engine', install);
  }
  const advice = executable
    ? 'Fix or remove claude.executable in config.yaml.'
    : `Install it again: ${install}`;
  if (problem) return fail(name, `Claude Code cannot be started: ${problem}`, advice);
  const message = `Claude Code ${cli} (${command}), SDK ${sdk}`;
  if (!isOld) return ok(name, message);
  const fix = executable ? `Update it, or remove claude.executable in config.yaml.` : `${install}@latest`;
  return warn(name, `${message}: older than the version Toolyard supports`, fix);
}

export async function checkSettings({ readConfig, probeClaudeSettings }: DoctorProbes): Promise<Finding> {
  const name = 'settings';
  const trustsManaged = await readConfig().then(
    ({ config }) => config.claude.trustManagedSettings,
    () => false,
  );
  const { folder, theirs, reaching, ignored } = await probeClaudeSettings(trustsManaged);
  const [first] = reaching;
  if (first) {
    const hide = trustsManaged && first.isManaged && ', or claude.trustManagedSettings from config.yaml';
    const message = `${formatSetting(first)}: Claude Code is not started${countMore(reaching)}`;
    return warn(name, message, `Remove it there${hide || ''}.`);
  }
  const [other] = ignored;
  if (other) {
    const message = `${formatSetting(other)}: ignored here, but \`claude\` in a terminal obeys it${countMore(ignored)}`;
    return warn(name, message, 'Remove it there, unless you wrote it.');
  }
  if (folder === theirs)
    return ok(name, `Claude Code uses ${theirs}; nothing there or in managed settings touches the gate`);
  const managed = trustsManaged
    ? 'with the managed settings, which touch nothing'
    : 'without managed settings';
  return ok(name, `Claude Code is configured by ${folder} in place of ${theirs}, ${managed}`);
}

function formatSetting({ file, key, problem }: OutsideSettingFacts): string {
  return key ? `${file} sets ${key}` : `${file} ${problem}`;
}

function countMore({ length }: readonly unknown[]): string {
  return length > 1 ? ` (and ${length - 1} more)` : '';
}

export async function checkTranscripts({ probeTranscripts }: DoctorProbes): Promise<Finding> {
  const name = 'transcripts';
  const { path, count, problems } = await probeTranscripts();
  const [problem] = problems;
  if (!path) {
    const message = 'HOME is not set: Toolyard cannot find the sessions of Claude Code';
    return warn(name, message, 'Set HOME, or CLAUDE_CONFIG_DIR, and start again.');
  }
  if (!problem) return ok(name, `${count} of Claude Code in ${path}`);
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  const message = `${problem.path} cannot be read (${problem.code})${more}: its sessions are not listed`;
  return warn(name, message, `Check its permissions: ls -ld ${problem.path}`);
}
