// A whole server in a process of its own, which a test may kill. Run by `startServer`, with a home, a port and a
// scenario as arguments; says where it listens.
import { openYard } from '../../../harness/src/app.ts';
import { deskKit } from './desk-kit.ts';

const [, , home = '', port = '0', scenario = ''] = process.argv;
const yard = await openYard({
  ...{ home, workspace: home, rehearse: true, scenario, toolkits: [deskKit] },
  env: { PATH: process.env.PATH, HOME: home, TOOLYARD_LOG: 'silent' },
});
const { url } = await yard.listen({ host: '127.0.0.1', port: Number(port) });
process.once('disconnect', () => process.exit());
process.send?.({ url, token: yard.token });
