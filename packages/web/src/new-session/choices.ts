// What a new session is to be like. Whatever is not chosen, the server decides.
import { useQuery } from '@tanstack/react-query';
import type { CreateSession, PermissionMode } from '@toolyard/sdk';
import { client } from '../connection/client.ts';
import { useSessions } from '../queries/sessions.ts';

export interface Choices {
  role: string;
  engine: string;
  model: string;
  mode: PermissionMode | 'default-of-role';
  cwd: string;
}

/** No role and no engine is called so: names have no space. */
export const asServer = 'server default';

export const noChoices: Choices = {
  role: asServer,
  engine: asServer,
  model: '',
  mode: 'default-of-role',
  cwd: '',
};

export function toCreate({ role, engine, model, mode, cwd }: Choices): CreateSession {
  return {
    ...(role !== asServer && { role }),
    ...(engine !== asServer && { engine }),
    ...(model.trim() && { model: model.trim() }),
    ...(mode !== 'default-of-role' && { mode }),
    ...(cwd.trim() && { cwd: cwd.trim() }),
  };
}

export function useRoles(cwd?: string) {
  const where = cwd?.trim();
  return useQuery({
    queryKey: ['roles', where ?? ''],
    queryFn: () => client.roles.list(where ? { cwd: where } : {}),
    staleTime: 60_000,
    retry: false,
  });
}

export function useModels() {
  return useQuery({ queryKey: ['models'], queryFn: () => client.models.list(), staleTime: 300_000 });
}

/** Where sessions were before, the latest first. */
export function useDirectories(): string[] {
  const { data } = useSessions();
  return [...new Set((data?.pages ?? []).flatMap(({ items }) => items.map(({ cwd }) => cwd)))].slice(0, 30);
}
