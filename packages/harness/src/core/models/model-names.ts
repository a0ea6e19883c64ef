// Names of models, `provider/model`: split into what they mean, and the nearest that exists for one that does not.
import { type ModelPrice, ToolyardError } from '@toolyard/sdk';
import { didYouMean, findNearest } from '../lib/did-you-mean.ts';
import type { KnownModel, PriceList } from './price-list.ts';
import type { Provider } from './providers.ts';

export interface NamedModel {
  provider: Provider;
  /** Its name at the provider. */
  id: string;
  /** What we know of it. */
  known?: KnownModel;
}

export interface ModelNames {
  /** Throws `unknown_model` when nobody of that name serves models. */
  split(name: string): NamedModel;
  /** The same without a throw: an engine may know names of its own. */
  find(name: string): NamedModel | undefined;
  /** What a provider has, as far as we know. */
  of(provider: Provider): NamedModel[];
  /** Ready to append to a sentence, or nothing. */
  hint(named: NamedModel): string;
  priceOf(name: string): ModelPrice | undefined;
}

export function createModelNames(providers: ReadonlyMap<string, Provider>, prices: PriceList): ModelNames {
  const name = (provider: Provider, id: string): NamedModel => {
    const known = provider.catalog === undefined ? undefined : prices.find(provider.catalog, id);
    return { provider, id, ...(known && { known }) };
  };
  const find = (text: string): NamedModel | undefined => {
    const slash = text.indexOf('/');
    const provider = slash < 0 ? undefined : providers.get(text.slice(0, slash));
    return provider && slash < text.length - 1 ? name(provider, text.slice(slash + 1)) : undefined;
  };
  const of = (provider: Provider): NamedModel[] => {
    const { catalog, configured } = provider;
    // Another way to the same models: they are listed once.
    if (catalog === undefined || (!configured && catalog !== provider.name)) return [];
    return prices.of(catalog).map(({ id }) => name(provider, id));
  };
  const all = () => [...providers.values()].flatMap(of).map(toName);
  return {
    of,
    find,
    split: (text) => find(text) ?? refuse(text, suggest(text, all(), providers), providers),
    hint: (named) => (named.known ? '' : didYouMean(toName(named), of(named.provider).map(toName))),
    priceOf: (text) => find(text)?.known?.price ?? undefined,
  };
}

export function toName({ provider, id }: NamedModel): string {
  return `${provider.name}/${id}`;
}

/** The same model of whoever has it; else the nearest name; else the same model of the nearest provider. */
function suggest(
  text: string,
  names: readonly string[],
  providers: ReadonlyMap<string, Provider>,
): string | undefined {
  const slash = text.indexOf('/');
  const id = text.slice(slash + 1);
  const ids = names.map((each) => each.slice(each.indexOf('/') + 1));
  const found = names[ids.indexOf(findNearest(id, ids) ?? '')] ?? findNearest(text, names);
  const provider = slash < 0 ? undefined : findNearest(text.slice(0, slash), providers.keys());
  return found ?? (provider && id && `${provider}/${id}`);
}

function refuse(
  text: string,
  suggestion: string | undefined,
  providers: ReadonlyMap<string, Provider>,
): never {
  const hint = suggestion ? ` Did you mean "${suggestion}"?` : '';
  const names = [...providers.keys()].join(', ');
  const message = `There is no model "${text.slice(0, 100)}".${hint} Write a model as provider/model. Providers: ${names}.`;
  throw new ToolyardError('unknown_model', message);
}
