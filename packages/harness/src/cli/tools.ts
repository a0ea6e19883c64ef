// `tools list`.
import type { Call } from './arguments.ts';
import { createLink } from './link.ts';
import { writeTable } from './table.ts';

export async function listTools(call: Call): Promise<number> {
  const { out } = call.terminal;
  const link = await createLink(call);
  const list = await link.ask((client) => client.tools.list());
  if (call.flags.has('json')) out.line(JSON.stringify(list));
  else if (list.items.length === 0) out.line('No tools. Every toolkit is switched off in the configuration.');
  else {
    const rows = list.items.map(({ name, effect, tier, description }) => [name, effect, tier, description]);
    writeTable(out, ['TOOL', 'EFFECT', 'ASKS', 'WHAT IT DOES'], rows);
  }
  return 0;
}
