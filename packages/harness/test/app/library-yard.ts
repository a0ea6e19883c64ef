// A yard as a program opens it, in a home of its own, with the scripted model.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createToolyard, type Toolyard, type ToolyardOptions } from '../../src/index.ts';
import { workBeside } from '../support/work.ts';
import { quiet, temporaryDirectory } from '../support/yard.ts';
import { math } from './math-toolkit.ts';

export const scenario = fileURLToPath(new URL('./math.yaml', import.meta.url));

export async function openLibrary(options: ToolyardOptions = {}): Promise<Toolyard> {
  const home = options.home ?? join(await temporaryDirectory(), 'home');
  const yard = await createToolyard({
    home,
    workspace: workBeside(home),
    env: {},
    logger: quiet,
    toolkits: [math],
    rehearse: true,
    scenario,
    ...options,
  });
  onTestFinished(() => yard.close());
  return yard;
}
