// The findings for people (a Markdown table) and for programs (JSON), with what the machine is.
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Findings, Row } from './benchmark.ts';

export interface Machine {
  cores: number;
  memoryGb: number;
  node: string;
  platform: string;
}

export function describeMachine(): Machine {
  return {
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${platform()} ${arch()}`,
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
    ...notes.map((note) => `- ${note}`),
  ].join('\n');
}

function toLine({ work, ours, peer = '—', ratio, target = '—', met }: Row): string {
  const verdict = met === undefined ? '—' : met ? 'yes' : '**no**';
  return `| ${[work, ours, peer, ratio === undefined ? '—' : `${ratio.toFixed(2)}×`, target, verdict].join(' | ')} |`;
}

export function toJson(findings: Findings, machine: Machine, rounds: number): string {
  return `${JSON.stringify({ at: new Date().toISOString(), machine, rounds, ...findings }, null, 2)}\n`;
}
