// What was used, from the server.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UsageBy } from '@toolyard/sdk';
import { client } from '../../connection/client.ts';
import type { Span } from './usage-span.ts';

/** As many as there are colours that can be told apart. */
const mostGroups = 7;

export function useUsage(span: Span, by: UsageBy) {
  const [from, to] = [span.from.toISOString(), span.to.toISOString()];
  return useQuery({
    queryKey: ['usage', from, to, by],
    queryFn: () =>
      client.usage.read({
        from,
        to,
        by,
        step: span.step,
        utcOffset: -span.to.getTimezoneOffset(),
        limit: mostGroups,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}
