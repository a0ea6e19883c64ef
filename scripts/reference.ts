// `npm run reference`: writes docs/reference.md anew from the sources of the SDK.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePath, toReference } from './docs/reference.ts';
import { listFiles, readFiles, root } from './source/repository.ts';

const sources = listFiles('packages/sdk/src').filter((path) => path.endsWith('.ts'));
writeFileSync(join(root, referencePath), toReference(readFiles(sources)));
console.log(referencePath);
