#!/usr/bin/env node
// The command `toolyard`. Plain JavaScript with nothing in it, so that all the rest is loaded with Node's compile cache
// on, which halves a start. The cache lies beside the code: whoever could tamper with it could change the code as well.
// Where nobody may write there is none. What is imported here must be known to a Node that is too old for the rest.
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { findBundle } from './bundle.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 11)) {
  process.stderr.write(`Toolyard needs Node 24.11 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
module.enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)));
const isClone = import.meta.resolve('#command').endsWith('.ts');
await import((isClone && findBundle()) || '#command');
