// A grant and a pending approval hold for a tool as it was: name, description, effect and input. Whoever rewords one of
// these makes the grants for it stale in every home. Change a hash here only on purpose, and say so in the changelog.
import { expect, test } from 'vitest';
import { shippedToolkits } from '../../src/app/toolkits.ts';
import { createToolRegistry } from '../../src/core/calls/tool-registry.ts';

const hashes = {
  mcp__toolyard__await_agent: '0d427890c06b0dfc',
  mcp__toolyard__await_any_agent: '53b0f49efd0fcf07',
  mcp__toolyard__close_task: '5e50aeaeb3538c00',
  mcp__toolyard__create_task: '2119e639c6910a1d',
  mcp__toolyard__draft_agent: 'e65088209f8069b0',
  mcp__toolyard__get_server_info: '22ee808544f93be4',
  mcp__toolyard__get_session_count: '501bfd6a4d0c5017',
  mcp__toolyard__get_session_details: 'e8599f9ae35a4bee',
  mcp__toolyard__get_task_context: '5a643d945bdc915c',
  mcp__toolyard__kill_agent: 'd6b56b3afb5b140f',
  mcp__toolyard__list_active_sessions: '98442506bf9a42ae',
  mcp__toolyard__list_agents: '54073110192f0716',
  mcp__toolyard__list_tasks: 'a1df9b0c19dbeb5a',
  mcp__toolyard__ping: 'b9c212be89636e83',
  mcp__toolyard__read_output: 'dfb8f390b1f7eab3',
  mcp__toolyard__report_result: '1b7c9d58878a1304',
  mcp__toolyard__search_sessions: 'e8b7e605666f24ad',
};

test('our tools are the ones that grants of earlier versions were given for', () => {
  const registry = createToolRegistry(shippedToolkits());
  const found = [...registry].map(([name, { schemaHash }]) => [name, schemaHash.slice(0, 16)]);
  expect(Object.fromEntries(found)).toEqual(hashes);
});
