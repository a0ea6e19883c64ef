// A session as a file: to read, or with every event. The page fetches it: a link could not say who asks.
import type { ExportFormat } from '@toolyard/sdk';
import { saveFile } from '../browser-apis/save-file.ts';
import { client } from '../connection/client.ts';
import { toProblem } from '../connection/problems.ts';
import { useToast } from '../controls/toast.tsx';

/** The whole conversation in Markdown. */
export async function readExport(sessionId: string): Promise<string> {
  return new Response(await client.sessions.export(sessionId)).text();
}

/** Gives it to the browser as a file. */
export function useSaveExport(): (sessionId: string, format: ExportFormat) => Promise<void> {
  const toast = useToast();
  return async (sessionId, format) => {
    try {
      const body = await client.sessions.export(sessionId, { format });
      const name = `${sessionId}.${format === 'json' ? 'json' : 'md'}`;
      saveFile(name, await new Response(body).blob());
    } catch (thrown) {
      toast({ tone: 'bad', title: 'It could not be exported', note: toProblem(thrown).message });
    }
  };
}
