// The models we know something of, from a data file with its day: how much they read and what they cost. A price that
// holds for a while names its days; outside of them it is not known.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModelPrice } from '@toolyard/sdk';
import { z } from 'zod';
import type { Clock } from '../lib/ports.ts';

const KnownModel = z.strictObject({
  provider: z.string(),
  id: z.string(),
  contextWindow: z.int().positive(),
  maxOutput: z.int().positive().optional(),
  from: z.iso.date().optional(),
  until: z.iso.date().optional(),
  price: ModelPrice.nullable(),
});
export type KnownModel = z.infer<typeof KnownModel>;

const PriceFile = z.strictObject({ asOf: z.iso.date(), unit: z.string(), models: z.array(KnownModel) });
export type PriceFile = z.infer<typeof PriceFile>;

export interface PriceList {
  asOf(): string;
  /** All of a provider's, each once, with the price of today. */
  of(provider: string): KnownModel[];
  /** The same for one; the date at the end of a name is a version, not another model. */
  find(provider: string, id: string): KnownModel | undefined;
}

/** Read when first asked: most commands never do. */
export function createPriceList(clock: Clock, read: () => PriceFile = readPriceFile): PriceList {
  let loaded: { asOf: string; ids: Map<string, Map<string, KnownModel[]>> } | undefined;
  const file = () => {
    loaded ??= toVersions(read());
    return loaded;
  };
  const today = () => new Date(clock.now()).toISOString().slice(0, 10);
  const choose = (versions: readonly KnownModel[]) => {
    const [first] = versions;
    return versions.find((model) => isInForce(model, today())) ?? (first && { ...first, price: null });
  };
  const find: PriceList['find'] = (provider, id) => choose(file().ids.get(provider)?.get(id) ?? []);
  return {
    asOf: () => file().asOf,
    of: (provider) =>
      [...(file().ids.get(provider)?.values() ?? [])].flatMap((versions) => choose(versions) ?? []),
    find: (provider, id) => find(provider, id) ?? find(provider, withoutDate(id)),
  };
}

/** By provider and id: what a model costs is asked at every step. */
function toVersions({ asOf, models }: PriceFile) {
  const byProvider = Map.groupBy(models, ({ provider }) => provider);
  const ids = [...byProvider].map(([provider, own]) => [provider, Map.groupBy(own, ({ id }) => id)] as const);
  return { asOf, ids: new Map(ids) };
}

export function readPriceFile(): PriceFile {
  const path = join(import.meta.dirname, '..', '..', '..', 'data', 'prices.json');
  return PriceFile.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Days are written so that they compare as text. */
function isInForce({ from = '', until = '9999' }: KnownModel, today: string): boolean {
  return from <= today && today <= until;
}

/** `claude-haiku-4-5-20251001`, `gpt-6-sol-2026-09-22`, `gemini-2.5-pro-latest`. */
function withoutDate(id: string): string {
  return id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}
