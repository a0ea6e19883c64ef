// The findings for people (a Markdown table) and for programs (JSON), with what the machine is.
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import type { Findings, Row } from './benchmark.ts';

export interface Machine {
  cores: number;
  memoryGb: number;
  node: string;
  platform: string;
  /** How many programs wanted to run in the last minute, before the first measurement. */
  load: number;
}

export function describeMachine(): Machine {
  return {
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${platform()} ${arch()}`,
    load: loadavg()[0] ?? 0,
  };
}

export function toMarkdown({ rows, notes }: Findings, machine: Machine): string {
  const { cores, memoryGb, node, platform } = machine;
  return [
    `${cores} cores, ${memoryGb} GB, Node ${node}, ${platform}.`,
    '',
    '| work | ours | peer | ratio | target | met |',
    '|---|---|---|---|---|---|',
    ...rows.map(toLine),
    '',
    ...[...notes, ...warnOfLoad(machine)].map((note) => `- ${note}`),
  ].join('\n');
}

/** Disk and cores are shared: a busy neighbour makes every number worse, and some more than others. */
function warnOfLoad({ load, cores }: Machine): string[] {
  if (load < cores / 2) return [];
  return [
    `The machine was busy before this began (load ${load.toFixed(1)}): measure again when it is quiet.`,
  ];
}

function toLine({ work, ours, peer = '—', ratio, target = '—', met }: Row): string {
  const verdict = met === undefined ? '—' : met ? 'yes' : '**no**';
  return `| ${[work, ours, peer, ratio === undefined ? '—' : `${ratio.toFixed(2)}×`, target, verdict].join(' | ')} |`;
}

export function toJson(findings: Findings, machine: Machine, rounds: number): string {
  return `${JSON.stringify({ at: new Date().toISOString(), machine, rounds, ...findings }, null, 2)}\n`;
}
