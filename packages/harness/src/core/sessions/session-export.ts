// A session as one file, written while it is read: a log of any length takes the memory of a page.
import type { Event, ExportFormat, Session, Store } from '@toolyard/sdk';
import { ToolyardError } from '@toolyard/sdk';
import type { Clock } from '../lib/ports.ts';
import type { SessionRecords } from '../session-records/session-records.ts';
import { createMarkdownWriter, toMarkdownHead } from './export-markdown.ts';

const pageLength = 200;

export interface SessionExport {
  mediaType: string;
  fileName: string;
  /** Ends early with an error when the session is deleted meanwhile. */
  pieces: AsyncGenerator<string>;
}

export type ExportSession = (id: string, format: ExportFormat) => Promise<SessionExport>;

interface ExportDeps {
  store: Store;
  clock: Clock;
  records: Pick<SessionRecords, 'open'>;
}

export function createSessionExport({ store, clock, records }: ExportDeps): ExportSession {
  /** As far as it has come now. */
  async function* pages({ id, lastSeq }: Session): AsyncGenerator<readonly Event[]> {
    for (let after = 0; after < lastSeq; ) {
      const page = await store.reads.events(id, after, Math.min(pageLength, lastSeq - after));
      const last = page.at(-1);
      if (!last) throw new ToolyardError('session_not_found', `The session ${id} was deleted.`);
      yield page;
      after = last.seq;
    }
  }

  async function* toMarkdown(session: Session): AsyncGenerator<string> {
    yield toMarkdownHead(session, now());
    const writer = createMarkdownWriter();
    for await (const page of pages(session)) yield page.map(writer.add).join('');
    yield writer.end();
  }

  async function* toJson(session: Session): AsyncGenerator<string> {
    const head = JSON.stringify({ format: 'toolyard-session', version: 1, exportedAt: now(), session });
    yield `${head.slice(0, -1)},"events":[`;
    let gap = '\n';
    for await (const page of pages(session)) {
      yield gap + page.map(toLine).join(',\n');
      gap = ',\n';
    }
    yield '\n]}\n';
  }

  const now = () => new Date(clock.now()).toISOString();
  return async (id, format) => {
    const session = await records.open(id);
    if (format === 'json') {
      return { mediaType: 'application/json', fileName: `${id}.json`, pieces: toJson(session) };
    }
    return { mediaType: 'text/markdown; charset=utf-8', fileName: `${id}.md`, pieces: toMarkdown(session) };
  };
}

function toLine({ sessionId, seq, at, lineage, type, data }: Event): string {
  return JSON.stringify({ sessionId, seq, at, lineage, type, data });
}
