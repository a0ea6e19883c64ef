#!/usr/bin/env node
// The command `toolyard`. Plain JavaScript with nothing in it, so that all the rest is loaded with Node's compile cache
// on, which halves a start. The cache lies beside the code: whoever could tamper with it could change the code as well.
// Where nobody may write there is none.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)));
await import('#command');
