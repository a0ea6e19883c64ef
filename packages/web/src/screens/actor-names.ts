// People by the names of their tokens, which is what they are known by.
import { useQuery } from '@tanstack/react-query';
import { toVisibleLine } from '@toolyard/sdk';
import { client } from '../server/client.ts';

export const tokensKey = ['tokens'];

export function useTokens() {
  return useQuery({ queryKey: tokensKey, queryFn: () => client.tokens.list() });
}

/** The name of whoever has this id; of one that is gone, the end of the id. */
export function useActorNames(): (id: string) => string {
  const tokens = useTokens().data?.items ?? [];
  return (id) => {
    const name = tokens.find((token) => token.id === id)?.name;
    return name ? toVisibleLine(name) : toShortId(id);
  };
}

/** Of an id, what tells it from its neighbours: they begin with the time. */
export function toShortId(id: string): string {
  const [, kind, end] = /^([a-z]{3,4})_[0-9a-z]{15}([0-9a-z]{7})$/.exec(id) ?? [];
  return kind && end ? `${kind}_…${end}` : toVisibleLine(id);
}
