// People by the names of their tokens, which is what they are known by, and which of them this browser is.
import { useQuery } from '@tanstack/react-query';
import { toVisibleLine } from '@toolyard/sdk';
import { useCallback } from 'react';
import { client } from '../connection/client.ts';

export const tokensKey = ['tokens'];

/** Names change rarely, and many lines ask for them. */
const staleAfterMs = 60_000;

export function useTokens() {
  return useQuery({ queryKey: tokensKey, queryFn: () => client.tokens.list(), staleTime: staleAfterMs });
}

/** The name of whoever has this id; of one that is gone, the end of the id. */
export function useActorNames(): (id: string) => string {
  const tokens = useTokens().data?.items;
  return useCallback(
    (id) => {
      if (id === 'owner') return 'the owner';
      const token = tokens?.find((each) => each.id === id);
      if (token?.current) return 'you (this browser)';
      return token ? toVisibleLine(token.name) : toShortId(id);
    },
    [tokens],
  );
}

/** Of an id, what tells it from its neighbours: they begin with the time. */
export function toShortId(id: string): string {
  const [, kind, end] = /^([a-z]{3,4})_[0-9a-z]{15}([0-9a-z]{7})$/.exec(id) ?? [];
  return kind && end ? `${kind}_…${end}` : toVisibleLine(id);
}
