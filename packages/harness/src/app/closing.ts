// Closes the parts of a yard in stages. One that fails keeps none of the others open, and is told at the end.
import type { Logger } from '../core/lib/ports.ts';

type Close = () => unknown;

/** Those of a stage at once, a stage after the other. Rejects with what failed first, once all had their turn. */
export async function closeInStages(logger: Logger, stages: readonly (readonly Close[])[]): Promise<void> {
  const failed: unknown[] = [];
  const closeOne = async (close: Close) => {
    try {
      await close();
    } catch (cause) {
      failed.push(cause);
      logger.error('a part could not be closed', { cause });
    }
  };
  for (const stage of stages) await Promise.all(stage.map(closeOne));
  if (failed.length > 0) throw failed[0];
}
