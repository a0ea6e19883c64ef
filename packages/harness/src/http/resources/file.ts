// An answer that is a file. It is made as fast as it is read, so that a slow reader costs nothing but time.
import type { SessionExport } from '../../core/session-ops/session-export.ts';

export function toFile({ mediaType, fileName, pieces }: SessionExport): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // What throws here breaks the line: half a file must not look whole.
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
  const headers = {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'no-store',
    // Whoever opens it in a browser reads it; nothing in it runs.
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return new Response(body, { headers });
}
