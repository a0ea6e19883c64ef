// Listing sessions when ten thousand were made with `claude` in a terminal and one of them has just changed, beside the
// listing of the official SDK.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSessions } from '@anthropic-ai/claude-agent-sdk';
import { type Client, pause } from '@toolyard/sdk';
import { openYard } from '../packages/harness/src/app.ts';
import type { Benchmark, Findings } from './benchmark.ts';
import { fillTranscripts, type WrittenTranscript } from './fill-transcripts.ts';
import { interleave, timed } from './interleave.ts';
import { type Summary, toMs, toSpread } from './samples.ts';

const count = 10_000;
const pageLength = 50;
const wantedRatio = 20;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export const transcripts: Benchmark = {
  name: 'transcripts',
  title: `list sessions, ${count.toLocaleString('en-US')} transcripts on disk`,
  async run({ rounds, folder }) {
    const claudeFolder = join(folder, 'claude');
    const newest = fillTranscripts(claudeFolder, { count, folders: 50 }).slice(0, pageLength);
    const env = { CLAUDE_CONFIG_DIR: claudeFolder };
    const yard = await openYard({
      home: join(folder, 'home'),
      workspace: folder,
      env,
      rehearse: true,
      logger: quiet,
    });
    const before = process.env.CLAUDE_CONFIG_DIR;
    // The SDK looks into the environment of this process.
    process.env.CLAUDE_CONFIG_DIR = claudeFolder;
    try {
      const client = yard.client();
      const indexMs = await timed(() => waitForAll(client));
      const change = createChanges(newest);
      const found = await interleave(
        {
          ours: {
            run: () =>
              listed(change(), async () => (await client.sessions.list({ limit: pageLength })).items),
          },
          sdk: {
            run: () =>
              listed(change(), async () => (await listSessions({ limit: pageLength })).map(toTitled)),
          },
        },
        { rounds, perRound: 3, warmUp: 3 },
      );
      return toFindings(found, indexMs);
    } finally {
      if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
      else process.env.CLAUDE_CONFIG_DIR = before;
      await yard.close();
    }
  },
};

/** Renames one of the newest, each time another, and gives its new name. */
function createChanges(newest: readonly WrittenTranscript[]): () => string {
  let made = 0;
  return () => {
    const { path, token } = newest[made % newest.length] ?? { path: '', token: '' };
    const title = `renamed ${++made}`;
    appendFileSync(
      path,
      `${JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: token })}\n`,
    );
    return title;
  };
}

/** A list that does not know the change is no measurement. */
async function listed(title: string, list: () => Promise<{ title: string }[]>): Promise<number> {
  let items: { title: string }[] = [];
  const ms = await timed(async () => {
    items = await list();
  });
  if (items.length !== pageLength || !items.some((item) => item.title === title)) {
    throw new Error(`after ${ms} ms the list of ${items.length} lacks "${title}"`);
  }
  return ms;
}

function toTitled({ summary }: { summary: string }): { title: string } {
  return { title: summary };
}

async function waitForAll(client: Client): Promise<void> {
  for (let seen = 0; seen < count; await pause(100)) {
    seen = 0;
    for (let after: string | undefined; ; ) {
      const { items, next } = await client.sessions.list({ limit: 500, ...(after && { after }) });
      seen += items.length;
      if (!next) break;
      after = next;
    }
  }
}

function toFindings({ ours, sdk }: Record<'ours' | 'sdk', Summary>, indexMs: number): Findings {
  const faster = sdk.median / ours.median;
  return {
    rows: [
      {
        work: `list ${pageLength} sessions, ${count.toLocaleString('en-US')} on disk, one just changed`,
        ours: toSpread(ours),
        peer: `the SDK's listSessions() ${toSpread(sdk)}`,
        ratio: ours.median / sdk.median,
        target: `≥ ${wantedRatio}× faster: it is ${faster.toFixed(0)}×`,
        met: faster >= wantedRatio,
        numbers: { median: ours.median, p99: ours.p99, peerMedian: sdk.median, peerP99: sdk.p99, faster },
      },
    ],
    notes: [`All of them were first found, in the background of a new home, after ${toMs(indexMs)}.`],
  };
}
