// A whole server in a process of its own, which a test may kill. Run by `startServer`, with a home, a port and a
// scenario as arguments, and `asking` for the engine that asks or `priced` for a model that costs; says where it listens.
import { flushCompileCache } from 'node:module';
import { openYard } from '../../../harness/src/app.ts';
import { serveRehearsal } from '../../../harness/src/rehearsal/serve.ts';
import { workBeside } from '../../../harness/test/support/work.ts';
import { askingEngine } from './asking-engine.ts';
import { deskKit } from './desk-kit.ts';

const [, , home = '', port = '0', scenario = '', engine = ''] = process.argv;
const model = engine === 'priced' ? await serveRehearsal({ scenarioPath: scenario }) : undefined;
const yard = await openYard({
  home,
  workspace: workBeside(home),
  toolkits: [deskKit],
  ...(!model && { rehearse: true, scenario }),
  ...(engine === 'asking' && { engine: askingEngine }),
  env: {
    PATH: process.env.PATH,
    HOME: home,
    TOOLYARD_LOG: 'silent',
    ...(model && { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'any' }),
  },
});
const { url } = await yard.listen({ host: '127.0.0.1', port: Number(port) });
process.once('disconnect', () => process.exit());
process.send?.({ url, token: yard.token });
// It will be killed, and what V8 compiled is of use to the next.
flushCompileCache();
