// What the doctor finds. It starts programs to find out, so it is asked only when somebody looks.
import { useQuery } from '@tanstack/react-query';
import { client } from '../../connection/client.ts';

export function useDoctor() {
  return useQuery({
    queryKey: ['doctor'],
    queryFn: () => client.diagnose(),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
