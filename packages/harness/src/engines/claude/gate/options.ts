// What the CLI is started with: isolated from every settings file, our tools and nothing external, its own tools by
// allow-list, always in its asking mode.
import { join } from 'node:path';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { type EngineSpec, type ProcessView, privateFolder, type ToolSpec } from '@toolyard/sdk';
import { toDenyRules } from '../tools/search-scope.ts';
import { planInstructions } from './plan-file.ts';

/** Names of our environment that the CLI gets to see. Everything else stays here; credentials come as `access`. */
const passedOn = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'TERM',
  'USER',
  'SHELL',
  'TZ',
  'CLAUDE_CONFIG_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
] as const;

const toolSearch = 'claude:ToolSearch';
/** Above this many of ours, the model finds them by search instead of being shown all: about 5,000 tokens. */
const maxListed = 32;

export function isListed(tools: readonly unknown[]): boolean {
  return tools.length <= maxListed;
}

export interface Launch {
  env: NodeJS.ProcessEnv;
  /** What reaches the model: the person's own access, or the rehearsal's. */
  access: Readonly<Record<string, string>>;
  executable: string | undefined;
  streamTimeoutMs: number;
  /** Folders that it must not look into: the home. */
  hidden: readonly string[];
  isolation: Isolation;
}

/** How the CLI is kept from settings that are not ours. */
export interface Isolation {
  /** Wins over all else that it is told. */
  env: Readonly<Record<string, string>>;
  view?: ProcessView;
}

export function toEnvironment({
  env,
  access,
  streamTimeoutMs,
  hidden,
  isolation,
}: Launch): Record<string, string> {
  const passed = passedOn.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    ...Object.fromEntries(passed),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // As patient as the native engine, and as plain about a model that declines.
    CLAUDE_CODE_MAX_RETRIES: '4',
    CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
    // A command must not move what relative paths mean, nor start a step of the model outside a turn.
    CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    // What is mentioned in a message (@file) would be read with no word to anybody.
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    // Its notes would be written where agents may not write.
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    CLAUDE_CODE_STREAM_CLOSE_TIMEOUT: String(streamTimeoutMs),
    // Other sessions of the CLI find it by a socket in this folder; nobody else sees this one.
    ...(hidden[0] && { XDG_RUNTIME_DIR: join(hidden[0], privateFolder) }),
    ...access,
    ...isolation.env,
  };
}

/** What a process has for life, whichever session it serves. */
export function toProcessOptions(
  { tools, nativeTools, maxSteps }: Pick<EngineSpec, 'tools' | 'nativeTools' | 'maxSteps'>,
  launch: Launch,
): Options {
  const { executable } = launch;
  // With the search on offer the CLI hides our tools behind it, few as they may be.
  const offered = nativeTools.filter((name) => name !== toolSearch || !isListed(tools));
  return {
    systemPrompt: { type: 'preset', preset: 'claude_code', snapshot: false },
    env: toEnvironment(launch),
    settingSources: [],
    strictMcpConfig: true,
    permissionMode: 'default',
    planModeInstructions: planInstructions,
    settings: {
      permissions: {
        // Ours come to us, and are judged there.
        allow: tools.map(({ name }) => name),
        // Where there is no sandbox, this keeps its own tools out of the home.
        deny: toDenyRules(launch.hidden),
      },
    },
    tools: offered.map(toBuiltIn),
    // Its own commands would change settings, drop the conversation or start work past the gate.
    extraArgs: { 'disable-slash-commands': null },
    maxTurns: maxSteps,
    includePartialMessages: true,
    ...(executable && { pathToClaudeCodeExecutable: executable }),
  };
}

/** What it has of one session. */
export function toSessionOptions(spec: EngineSpec): Options {
  return {
    cwd: spec.cwd,
    model: toModel(spec.model),
    systemPrompt: { type: 'preset', preset: 'claude_code', append: toAppended(spec), snapshot: false },
  };
}

/** What we add to the CLI's own instructions. */
export function toAppended(
  spec: Pick<EngineSpec, 'instructions' | 'tools' | 'nativeTools' | 'commands'>,
): string {
  return `${spec.instructions}\n\n${hintFor(spec.tools)}\n\n${commandHintFor(spec)}`.trim();
}

/** What a model would otherwise find out by commands that fail. */
function commandHintFor({ nativeTools, commands }: Pick<EngineSpec, 'nativeTools' | 'commands'>): string {
  if (!nativeTools.includes('claude:Bash') || commands === undefined || commands === 'everything') return '';
  if ('refusal' in commands) return '';
  const { hosts } = commands;
  const network =
    hosts.length > 0 ? `It reaches these hosts by https: ${hosts.join(', ')}.` : 'It has no network.';
  return [
    '# Commands',
    `Bash can change files in the workspace, and in a /tmp of its own that your other tools do not see. ${network}`,
    'If a task needs more, say so instead of trying to get around it.',
  ].join('\n');
}

/** The CLI knows models without their provider. */
export function toModel(model: string): string {
  return model.replace(/^anthropic\//, '');
}

function toBuiltIn(name: string): string {
  return name.replace(/^claude:/, '');
}

const maxLineLength = 160;

/** A section of the instructions that names the host tools this session has, so that the model calls them by full name. */
function hintFor(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description }) => `- ${name}: ${toLine(description)}`);
  return ['# Tools of Toolyard', 'Call them by their full names.', ...lines].join('\n');
}

function toLine(description: string): string {
  const [first = ''] = description.split('\n');
  return first.length > maxLineLength ? `${first.slice(0, maxLineLength - 1)}…` : first;
}
