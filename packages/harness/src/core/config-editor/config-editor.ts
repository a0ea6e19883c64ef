// The configuration for people: shown key by key, and changed in config.yaml, which stays theirs. A change is checked
// whole before anything is written, is evidence before it counts, and never leaves half a file.
import { realpath, rename, rm } from 'node:fs/promises';
import {
  type Actor,
  type ChangeConfig,
  type Config,
  type ConfigItem,
  type ConfigView,
  type Engine,
  type Store,
  ToolyardError,
} from '@toolyard/sdk';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { toChangeEntry } from '../audit/audit-changes.ts';
import { readConfig } from '../config/config.ts';
import type { LiveConfig } from '../config/current-config.ts';
import { writeTemporary } from '../files/home.ts';
import { parseYaml, readText } from '../files/yaml.ts';
import type { Clock } from '../lib/ports.ts';
import type { Models } from '../models/models.ts';
import type { Roles } from '../roles/roles.ts';
import { applyChanges, type KeyChange, refuse, requireConfig, toChanges } from './config-change.ts';
import { type ConfigKey, listConfigKeys, valueAt, withValues } from './config-keys.ts';
import { findUnknownTools, type ToolNames } from './unknown-tools.ts';

export interface ConfigEditor {
  view(): Promise<ConfigView>;
  /** Throws `invalid_request` with the keys that are wrong, `invalid_config` when the file is already broken. */
  change(wanted: ChangeConfig, by: Actor): Promise<ConfigView>;
}

export interface ConfigEditorDeps extends ConfigCheckDeps {
  home: string;
  /** What holds. Written here when a change counts at once. */
  live: LiveConfig;
  /** What holds when a file says this: with what the environment and the command add. */
  complete(config: Config): Config;
  /** Keys that the start of the server has set, whatever the file says, and to what. */
  given(): ReadonlyMap<string, unknown>;
  store: Store;
  clock: Clock;
}

export function createConfigEditor(deps: ConfigEditorDeps): ConfigEditor {
  const { home, live, complete, given, store, clock } = deps;
  const check = createConfigCheck(deps);
  let last: Promise<unknown> = Promise.resolve();

  async function view(): Promise<ConfigView> {
    const { file, written, path, exists, problem } = await readFile(home);
    const next = file && complete(file);
    const now = live.current();
    const items = listConfigKeys().map((key) => toItem(key, { now, file, next, written, given: given() }));
    return { items, path, exists, ...(problem !== undefined && { problem }) };
  }

  async function change(wanted: ChangeConfig, by: Actor): Promise<ConfigView> {
    const changes = toChanges(wanted);
    const { path, exists } = await readConfig(home);
    const target = exists ? await realpath(path) : path;
    const document = parseDocument(exists ? await readText(target) : '');
    const before: unknown = document.toJS();
    applyChanges(document, changes);
    const next = complete(requireConfig(document.toJS()));
    await check(next, changes);
    const text = document.toString({ lineWidth: 0 });
    parseYaml(z.unknown(), text, path);
    const entry = toChangeEntry(clock, by, { change: 'config_changed', subject: describe(changes, before) });
    const written = await writeTemporary(target, text);
    try {
      await store.commit((tx) => tx.appendAudit(entry));
      await rename(written, target);
    } catch (thrown) {
      await rm(written, { force: true });
      throw thrown;
    }
    const counting = listConfigKeys().filter(({ editable, applies }) => editable && applies === 'now');
    live.replace(withValues(live.current(), next, counting));
    return view();
  }

  return {
    view,
    change(wanted, by) {
      // One after another: each reads what the one before it has written.
      const done = last.then(() => change(wanted, by));
      last = done.catch(() => {});
      return done;
    },
  };
}

interface ReadFile {
  path: string;
  exists: boolean;
  /** What the file means; absent when it is broken. */
  file?: Config;
  /** What stands in it. */
  written: unknown;
  problem?: string;
}

async function readFile(home: string): Promise<ReadFile> {
  try {
    const { config: file, path, exists } = await readConfig(home);
    const written: unknown = exists ? parseYaml(z.unknown(), await readText(path), path) : undefined;
    return { path, exists, file, written };
  } catch (thrown) {
    if (!(thrown instanceof ToolyardError)) throw thrown;
    return {
      path: String(thrown.data?.file ?? home),
      exists: true,
      written: undefined,
      problem: thrown.message,
    };
  }
}

interface Sources {
  now: Config;
  file: Config | undefined;
  next: Config | undefined;
  written: unknown;
  given: ReadonlyMap<string, unknown>;
}

function toItem(known: ConfigKey, { now, file, next, written, given }: Sources): ConfigItem {
  const { key, path, description, standard, schema, editable, applies, where } = known;
  const value = given.has(key) ? given.get(key) : valueAt(now, path);
  const later = given.has(key) || !next ? value : valueAt(next, path);
  const isWritten =
    valueAt(written, path) !== undefined && !given.has(key) && isEqual(value, valueAt(file, path));
  const source = isWritten ? 'file' : isEqual(value, standard) ? 'default' : 'start';
  return {
    key,
    description,
    value,
    default: standard,
    source,
    schema,
    editable,
    applies,
    ...(where !== undefined && { where }),
    ...(!isEqual(value, later) && { afterRestart: later ?? null }),
  };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What becomes what, for the evidence. */
function describe(changes: readonly KeyChange[], before: unknown): string {
  const formatValue = (value: unknown) =>
    value === undefined || value === null ? 'default' : JSON.stringify(value);
  const words = changes.map(
    ({ path, value }) => `${path.join('.')}: ${formatValue(valueAt(before, path))} → ${formatValue(value)}`,
  );
  const all = words.join('; ');
  return all.length > 1_000 ? `${all.slice(0, 1_000)}…` : all;
}

interface ConfigCheckDeps {
  roles: Roles;
  models: Models;
  findEngine(name: string): Engine;
  tools: ToolNames;
  /** Where roles are looked for. */
  workspace: string;
}

/** Does what a configuration names exist? Its schema cannot know. Throws `invalid_request` with the key that names what is not there. */
function createConfigCheck({ roles, models, findEngine, tools, workspace }: ConfigCheckDeps) {
  return async (config: Config, changes: readonly KeyChange[]): Promise<void> => {
    const { defaults } = config;
    // What the file named before may be of another program's tools, and is told at the start.
    const named = new Set(changes.filter(({ value }) => value !== null).map(({ path }) => path.join('.')));
    const unknown = findUnknownTools(config, tools).filter(({ path }) => named.has(path));
    if (unknown.length > 0) throw refuse(unknown);
    const checks = [
      ['defaults.role', async () => void (await roles.find(defaults.role, workspace))],
      ['defaults.engine', async () => void findEngine(defaults.engine)],
      ['defaults.model', async () => models.check(defaults.model)],
    ] as const;
    for (const [path, check] of checks) {
      await check().catch((thrown: unknown) => {
        throw thrown instanceof ToolyardError ? refuse([{ path, message: thrown.message }]) : thrown;
      });
    }
  };
}
