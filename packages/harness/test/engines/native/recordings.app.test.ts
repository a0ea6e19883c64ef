import { describe, expect, it } from 'vitest';
import { createModels } from '../../../src/engines/native/models/models.ts';
import { serveModel, wire } from './model-server.ts';
import { accessTo } from './native-turn.ts';
import { readParts, readWire, recordingNames } from './recording.ts';

describe('a recording is what the provider makes of the wire', () => {
  it.each(recordingNames)('%s', async (name) => {
    await using server = await serveModel(wire(readWire(name)));
    const models = createModels(accessTo({ baseUrl: server.url }));
    const { model } = await models.find('anthropic/claude-sonnet-4-5');
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      providerOptions: { anthropic: { includePings: true } },
    });
    const parts: unknown[] = [];
    for await (const part of stream) parts.push(part);
    expect(JSON.parse(JSON.stringify(parts))).toEqual(readParts(name));
  });
});
