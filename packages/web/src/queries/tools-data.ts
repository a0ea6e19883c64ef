// Every tool of every role, as one table: what a call would meet, and the rule that decides.
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ListedTool, PermissionMode, Role } from '@toolyard/sdk';
import { client } from '../connection/client.ts';

export interface Cell {
  offered: boolean;
  verdict: ListedTool['verdict'];
  rule: string;
}

export interface ToolRow {
  tool: ListedTool;
  /** By role; a role whose engine has no such tool has none. */
  cells: Map<string, Cell>;
}

export function useRoles() {
  return useQuery({ queryKey: ['roles'], queryFn: () => client.roles.list() });
}

export function useToolTable(roles: readonly Role[], mode: PermissionMode | undefined) {
  return useQueries({
    queries: roles.map(({ name }) => ({
      queryKey: ['tools', name, mode],
      queryFn: () => client.tools.list({ role: name, explain: 'true', ...(mode && { mode }) }),
    })),
    combine: (answers) => ({
      rows: toRows(roles.map(({ name }, index) => [name, answers[index]?.data?.items ?? []])),
      isPending: answers.some(({ isPending }) => isPending),
      error: answers.find(({ error }) => error)?.error ?? undefined,
      retry: () => {
        for (const { refetch } of answers) void refetch();
      },
    }),
  });
}

export function toRows(lists: readonly (readonly [role: string, tools: readonly ListedTool[]])[]): ToolRow[] {
  const rows = new Map<string, ToolRow>();
  for (const [role, tools] of lists) {
    for (const tool of tools) {
      const row = rows.get(tool.name) ?? { tool, cells: new Map<string, Cell>() };
      row.cells.set(role, { offered: tool.offered, verdict: tool.verdict, rule: tool.rule });
      rows.set(tool.name, row);
    }
  }
  return [...rows.values()];
}

/** Rows that hold all words, by toolkit, in the order in which toolkits first come. */
export function toGroups(rows: readonly ToolRow[], words: string): [toolkit: string, rows: ToolRow[]][] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter(({ tool }) => {
    const text =
      `${tool.name} ${tool.title} ${tool.description} ${tool.effect} ${tool.toolkit}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  return [...Map.groupBy(found, ({ tool }) => tool.toolkit)];
}
