// Every configuration key, its default and its meaning: the one schema behind config.yaml, `config get` and the docs.
import { z } from 'zod';
import { ModelName, PermissionMode, Slug } from '../session.ts';
import { Tier } from '../tool-info.ts';
import { ProviderConfig, ProviderName } from './provider.ts';
import { PublicUrl } from './public-url.ts';

/** A host, all hosts below a domain, or a host with its port. */
const HostPattern = z
  .string()
  .max(253)
  .regex(
    /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i,
    'Expected a host such as registry.npmjs.org, *.example.org or localhost:4873',
  );

export const Config = z
  .strictObject({
    server: z
      .strictObject({
        host: z.string().default('127.0.0.1').describe('Address to listen on'),
        port: z.int().min(0).max(65535).default(4242).describe('Port to listen on; 0 picks a free one'),
        publicUrl: PublicUrl.optional().describe('Address of a TLS proxy in front of the server'),
      })
      .prefault({}),
    defaults: z
      .strictObject({
        role: Slug.default('assistant').describe('Default role of a session'),
        engine: Slug.default('auto').describe('Default engine of a session; auto picks one'),
        model: ModelName.default('anthropic/claude-sonnet-5').describe(
          'Default model of a session, as provider/model',
        ),
        mode: PermissionMode.default('default').describe('Default permission mode of a session'),
      })
      .prefault({}),
    providers: z
      .record(ProviderName, ProviderConfig)
      .default({})
      .describe('Additional model providers, by name: { local: { type: openai-compatible, baseUrl: … } }'),
    limits: z
      .strictObject({
        maxSteps: z.int().min(1).max(1000).default(50).describe('Maximum model steps in one turn'),
        maxRepeats: z
          .int()
          .min(1)
          .max(1000)
          .default(8)
          .describe('How many times in a row an agent may repeat a call with the same input'),
        maxDepth: z
          .int()
          .min(0)
          .max(16)
          .default(3)
          .describe('Levels of agents under a root session; 0 disables drafting'),
        maxChildren: z
          .int()
          .min(0)
          .max(1000)
          .default(5)
          .describe('Running agents that one agent may have drafted'),
        maxAgents: z.int().min(0).max(100_000).default(50).describe('Agents that one run may draft in total'),
        spawnPerMinute: z
          .int()
          .min(0)
          .max(10_000)
          .default(30)
          .describe('Agents that one run may draft per minute'),
        budgetUsd: z.number().min(0).max(1_000_000).default(10).describe('Dollars that one run may spend'),
        dailyUsd: z
          .number()
          .min(0)
          .max(1_000_000)
          .default(50)
          .describe('Dollars that all runs together may spend per day'),
        tokens: z
          .int()
          .min(0)
          .max(1_000_000_000_000)
          .default(20_000_000)
          .describe('Tokens that one run may use, not counting tokens read from a cache'),
        wallMinutes: z
          .number()
          .positive()
          .max(100_000)
          .default(120)
          .describe('Minutes that one run may take'),
        onLimit: z
          .enum(['refuse', 'ask'])
          .default('refuse')
          .describe('At a limit: refuse, or ask a person whether to continue'),
        concurrency: z.int().min(1).max(1000).default(4).describe('Agents that work at the same time'),
      })
      .prefault({}),
    workspace: z
      .strictObject({
        security: z
          .enum(['limited-control', 'full-control'])
          .default('limited-control')
          .describe('What agents can reach: the workspace, or the whole machine'),
        roots: z.array(z.string()).default([]).describe('Additional directories that count as the workspace'),
        network: z
          .array(HostPattern)
          .max(200)
          .default([])
          .describe('Hosts that commands of agents may reach: `name`, `*.name` or `name:port`'),
      })
      .prefault({}),
    claude: z
      .strictObject({
        executable: z
          .string()
          .min(1)
          .optional()
          .describe('Path of a Claude Code CLI, instead of the one in the SDK'),
        idleMinutes: z
          .number()
          .positive()
          .max(1_440)
          .default(15)
          .describe('Minutes a Claude process is kept for the next message'),
        maxHot: z
          .int()
          .min(1)
          .max(64)
          .default(4)
          .describe('Claude processes kept at once; idle ones are stopped first'),
        spare: z.boolean().default(true).describe('Keep one Claude process ready for the next session'),
        trustManagedSettings: z
          .boolean()
          .default(false)
          .describe("Let Claude Code see the computer's managed settings, in /etc/claude-code"),
      })
      .prefault({}),
    toolkits: z
      .record(z.string(), z.boolean())
      .default({})
      .describe('Disable a toolkit: { sessions: false }'),
    toolApproval: z
      .strictObject({
        defaultTier: Tier.default('session').describe('How often to ask about a tool without a tier'),
        perTool: z
          .record(z.string(), Tier)
          .default({})
          .describe('How often to ask about a tool, by its full name'),
        approvalTimeout: z
          .int()
          .min(1)
          .max(2 ** 31 - 1)
          .default(1_800_000)
          .describe('Milliseconds an approval waits; the clock stops while the server is down'),
        unattended: z
          .enum(['deny', 'park'])
          .default('deny')
          .describe('When no one answers in time: tell the model, or let the turn wait'),
        maxPending: z
          .int()
          .min(1)
          .max(10_000)
          .default(100)
          .describe('Pending approvals allowed in one session'),
        maxQuestions: z
          .int()
          .min(1)
          .max(10_000)
          .default(100)
          .describe('Pending questions allowed in one session'),
      })
      .prefault({}),
    mcp: z
      .strictObject({
        streamTimeout: z
          .int()
          .min(1)
          .default(600_000)
          .describe('Milliseconds a tool call may hold a stream open'),
        fullAccessCategories: z
          .array(Slug)
          .default(['conversational'])
          .describe('Role categories that get every host tool'),
      })
      .prefault({}),
    tools: z
      .strictObject({
        deadlineMs: z
          .int()
          .min(1)
          .default(120_000)
          .describe('Milliseconds a call may take if its tool sets no limit'),
        hookDeadlineMs: z
          .int()
          .min(1)
          .max(2 ** 31 - 1)
          .default(30_000)
          .describe('Milliseconds a hook may take before or after a call; then it fails'),
      })
      .prefault({}),
    output: z
      .strictObject({
        maxBytes: z.int().min(1_024).default(51_200).describe('Bytes of a result that a model sees'),
        keepBytes: z
          .int()
          .min(1_024)
          .default(67_108_864)
          .describe('Bytes of a result that are kept for read_output'),
      })
      .prefault({}),
    retention: z
      .strictObject({
        days: z
          .int()
          .min(1)
          .max(36_500)
          .default(90)
          .describe('Days that unused sessions, outputs, logs and traces are kept'),
        maxMb: z
          .int()
          .min(1)
          .max(1_048_576)
          .default(4_096)
          .describe('Megabytes that sessions may take; then the least recently used are deleted'),
      })
      .prefault({}),
    backup: z
      .strictObject({
        keep: z.int().min(1).max(1_000).default(7).describe('Backups kept in the home'),
      })
      .prefault({}),
  })
  .prefault({});
export type Config = z.infer<typeof Config>;
