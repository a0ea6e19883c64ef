// What the SDK and the CLI say to each other, held against the recorded lines: a new version that speaks differently
// shows here first, field by field, before it shows as a tool that is never asked about.
import { beforeAll, describe, expect, it } from 'vitest';
import { readWire, recordWire, refreshCommand, type Wire, wireTopics } from './wire-session.ts';

let wire: Wire;
beforeAll(async () => {
  wire = await recordWire();
}, 60_000);

describe('the installed SDK and CLI speak as recorded', () => {
  it.each(wireTopics)('%s', (topic) => {
    const hint = `The wire has changed (- recorded, + now). If our engine still fits: ${refreshCommand}`;
    expect(toText(wire[topic]), hint).toBe(toText(readWire(topic)));
  });
});

/** One field on a line, so that a difference points at it. */
function toText(lines: object[]): string {
  return lines.map((line) => JSON.stringify(line, null, 2)).join('\n');
}
