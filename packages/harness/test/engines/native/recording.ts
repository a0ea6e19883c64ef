// Streams recorded once: the wire as a provider sends it, and the parts the AI SDK's provider made of it.
import { readFileSync } from 'node:fs';
import type { StreamPart } from '../../../src/engines/native/models/provider.ts';

export const recordingNames = [
  'text',
  'thinking',
  'one-tool',
  'parallel-tools',
  'malformed-tool-input',
  'refusal',
] as const;
export type RecordingName = (typeof recordingNames)[number];

export function readWire(name: RecordingName): string {
  return readFileSync(new URL(`./recordings/${name}.sse`, import.meta.url), 'utf8');
}

export function readParts(name: RecordingName): StreamPart[] {
  // The file is what the provider gave; recordings.test.ts holds it to that.
  return JSON.parse(readFileSync(new URL(`./recordings/${name}.json`, import.meta.url), 'utf8'));
}
