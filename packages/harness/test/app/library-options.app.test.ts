// What a program may say when it opens a yard, and what it hears when it says it wrong.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, defineToolkit, type Event } from '@toolyard/sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { HookedCall, ToolyardOptions } from '../../src/index.ts';
import { callsOf } from '../acceptance/turn-outline.ts';
import { temporaryDirectory } from '../support/yard.ts';
import { openLibrary } from './library-yard.ts';
import { add, math } from './math-toolkit.ts';

describe('roles', () => {
  it('given in code are there beside those that ship, and take the place of one with their name', async () => {
    const home = await temporaryDirectory();
    await mkdir(join(home, 'roles'));
    await writeFile(join(home, 'roles', 'clerk.md'), '---\nname: clerk\ndescription: Of the home.\n---\n');
    const roles = [
      {
        name: 'clerk',
        description: 'Adds.',
        tools: { allow: ['mcp__math__add'] },
        instructions: 'Only add.',
      },
      { name: 'reviewer', description: 'Ours.' },
    ];
    const yard = await openLibrary({ home, roles });
    const { items } = await yard.roles.list();
    expect(items.find(({ name }) => name === 'clerk')).toEqual({
      name: 'clerk',
      description: 'Adds.',
      category: 'coding',
      instructions: 'Only add.',
      tools: { allow: ['mcp__math__add'], deny: [], tiers: {} },
      source: 'code',
      file: 'createToolyard',
    });
    expect(items.filter(({ source }) => source === 'code').map(({ name }) => name)).toEqual([
      'clerk',
      'reviewer',
    ]);
    const session = await yard.sessions.create({ role: 'clerk', engine: 'native' });
    expect(await session.send('which').text()).toBe(
      'My tools: mcp__toolyard__read_output, mcp__toolyard__list_agents, mcp__toolyard__report_result, mcp__toolyard__list_tasks, mcp__toolyard__get_task_context, mcp__math__add',
    );
    expect((await session.context()).instructions).toContain('Only add.');
  });
});

describe('hooks', () => {
  it('deny a call, and hear each event', async () => {
    const heard: Event[] = [];
    const yard = await openLibrary({
      hooks: {
        beforeToolCall: ({ tool }) => (tool === 'mcp__math__add' ? { deny: 'No sums today.' } : undefined),
        onEvent: (event) => void heard.push(event),
      },
    });
    const session = await yard.sessions.create({ engine: 'native' });
    const events = await Array.fromAsync(session.send('add 2 and 3'));
    expect(callsOf(events)).toMatchObject([
      { isError: true, output: expect.stringContaining('No sums today.') },
    ]);
    expect(heard.filter(({ type }) => type === 'turn_end')).toEqual(events.slice(-1));
  });

  it('may be an object with more in it, when it is of a class', async () => {
    class Counting {
      calls: string[] = [];
      beforeToolCall({ tool }: HookedCall) {
        this.calls.push(tool);
        return undefined;
      }
    }
    const hooks = new Counting();
    const yard = await openLibrary({ hooks });
    await (await yard.sessions.create()).send('add 2 and 3').text();
    expect(hooks.calls).toEqual(['mcp__math__add']);
  });
});

describe('a configuration', () => {
  it('given in code goes over that of the home, key by key', async () => {
    const home = await temporaryDirectory();
    await writeFile(join(home, 'config.yaml'), 'defaults: { role: reviewer, mode: plan }\n');
    const yard = await openLibrary({ home, config: { defaults: { mode: 'acceptEdits' } } });
    expect(await yard.sessions.create()).toMatchObject({ role: 'reviewer', mode: 'acceptEdits' });
  });

  it('without a word of the program is that of the home', async () => {
    const home = await temporaryDirectory();
    await writeFile(join(home, 'config.yaml'), 'defaults: { mode: plan }\n');
    const yard = await openLibrary({ home });
    expect(await yard.sessions.create()).toMatchObject({ mode: 'plan' });
  });

  it('given in code is what the doctor looks at, with the tools of the program', async () => {
    const providers = { own: { type: 'openai-compatible' as const, baseUrl: 'http://127.0.0.1:1/v1' } };
    const config = { providers, toolkits: { math: false } };
    const { items } = await (await openLibrary({ config })).diagnose();
    expect(items.filter(({ name }) => ['config', 'model'].includes(name))).toEqual([
      { name: 'config', state: 'ok', message: 'no config.yaml, overridden by the program' },
      {
        name: 'model',
        state: 'warn',
        message: expect.stringMatching(/^nothing answers at .*, the address of own$/),
        fix: expect.any(String),
      },
    ]);
  });
});

describe('a slip', () => {
  const dated = defineTool({
    name: 'dated',
    title: 'Date',
    description: 'A date.',
    effect: 'read',
    input: z.object({ on: z.date() }),
    output: z.object({}),
    run: async () => ({}),
  });
  const kit = (...tools: (typeof add)[]) => defineToolkit({ name: 'other', server: 'math', tools });

  it.each<[string, unknown, string]>([
    ['an unknown option', { toolkit: [] }, 'createToolyard: unknown key "toolkit". Did you mean "toolkits"?'],
    ['an option of another kind', { home: 42 }, 'createToolyard: home: expected string, received number.'],
    [
      'an empty home',
      { home: '' },
      'createToolyard: home: too small: expected string to have >=1 characters.',
    ],
    [
      'a toolkit that is still to be made',
      { toolkits: [() => math] },
      'createToolyard: toolkits[0]: expected object, received function.',
    ],
    ['a tool in place of a toolkit', { toolkits: [add] }, 'createToolyard: toolkits[0].server: '],
    [
      'two tools of one name',
      { toolkits: [math, kit(add)] },
      'Two tools have the name mcp__math__add. Rename one',
    ],
    [
      'a tool whose input no model can be told',
      { toolkits: [kit(dated)] },
      'The input of mcp__math__dated cannot be described to a model: Date cannot be represented in JSON Schema.',
    ],
    [
      'a role with a bad name',
      { roles: [{ name: 'My Role', description: 'x' }] },
      'createToolyard: roles[0].name: use 1 to 64 lower-case letters',
    ],
    [
      'a role with a slip in it',
      { roles: [{ name: 'mine', description: 'x', tools: { alow: [] } }] },
      'createToolyard: roles[0].tools: unknown key "alow". Did you mean "allow"?',
    ],
    [
      'two roles of one name',
      { roles: [1, 2].map(() => ({ name: 'mine', description: 'x' })) },
      'createToolyard: two roles have the name "mine".',
    ],
    [
      'a hook that would never be called',
      { hooks: { beforeToolCal() {} } },
      'createToolyard: hooks: unknown key "beforeToolCal". Did you mean "beforeToolCall"?',
    ],
    [
      'a hook that is no function',
      { hooks: { onEvent: 1 } },
      'createToolyard: hooks.onEvent: must be a function.',
    ],
    [
      'an unknown key of the configuration',
      { config: { limits: { maxStep: 3 } } },
      'createToolyard: config.limits: unknown key "maxStep". Did you mean "maxSteps"?',
    ],
    [
      'external servers, which are not there yet',
      { mcpServers: {} },
      'createToolyard: unknown key "mcpServers".',
    ],
    ['a scenario that is not there', { scenario: 'nowhere.yaml' }, 'nowhere.yaml'],
    ['nothing at all in place of options', null, 'createToolyard: expected object, received null.'],
  ])('is refused in one sentence, and leaves the home free: %s', async (_, options, words) => {
    const home = await temporaryDirectory();
    // What JavaScript lets through.
    const wrong = (options && { home, ...options }) as ToolyardOptions;
    const { createToolyard } = await import('../../src/index.ts');
    const thrown: unknown = await createToolyard(wrong).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'ToolyardError', code: 'invalid_config' });
    expect(thrown).toHaveProperty('message', expect.stringContaining(words));
    expect(String(thrown)).not.toContain('\n');
    await openLibrary({ home });
  });
});
