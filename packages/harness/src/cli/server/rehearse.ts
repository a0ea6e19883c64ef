// `rehearse`: serves only the scripted model, for any client of the Anthropic API.
import { serveRehearsal } from '../../app.ts';
import type { Call } from '../command-line/arguments.ts';
import { toPath, toPort } from '../command-line/values.ts';
import { onInterrupt } from '../terminal/interrupts.ts';

export async function rehearse({ options, env, terminal: { out, err } }: Call): Promise<number> {
  const stop = Promise.withResolvers<void>();
  process.once('SIGTERM', stop.resolve);
  const removeInterrupt = onInterrupt({ first: stop.resolve, second: () => process.exit(130) });
  try {
    const rehearsal = await serveRehearsal({
      ...(options.port && { port: toPort(options.port, '--port') }),
      ...(options.scenario && { scenarioPath: toPath(options.scenario, env) }),
    });
    out.line(`ANTHROPIC_BASE_URL=${rehearsal.url}`);
    err.line('The scripted model answers there and accepts any key. Ctrl-C stops it.');
    await stop.promise;
    await rehearsal.close();
  } finally {
    process.off('SIGTERM', stop.resolve);
    removeInterrupt();
  }
  return 0;
}
