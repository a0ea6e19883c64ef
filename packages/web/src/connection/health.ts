// What the server says of itself.
import { useQuery } from '@tanstack/react-query';
import { client } from './client.ts';

export function useHealth() {
  return useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => client.health(signal),
    staleTime: 60_000,
  });
}

/** What to type to call this server's program: it differs between a clone and an installed package. */
export function useProgram(): string {
  const { data } = useHealth();
  return data?.version === 'development' ? 'npm start --' : 'toolyard';
}
