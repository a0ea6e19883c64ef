// The official SDK, loaded when the first session needs it: it is optional, and large.
import { ToolyardError } from '@toolyard/sdk';

export type Sdk = typeof import('@anthropic-ai/claude-agent-sdk');

export const installSdk = 'npm install @anthropic-ai/claude-agent-sdk';
let loading: Promise<Sdk> | undefined;

/** Rejects with the command that installs it. */
export function loadSdk(): Promise<Sdk> {
  loading ??= import('@anthropic-ai/claude-agent-sdk').catch((cause: unknown) => {
    loading = undefined;
    const how = `Install it with: ${installSdk}`;
    throw new ToolyardError('unknown_engine', `The claude engine needs the Claude Agent SDK. ${how}`, {
      cause,
    });
  });
  return loading;
}

/** Without loading it. */
export function isSdkInstalled(): boolean {
  return findSdk() !== undefined;
}

/** Where it is; nothing when it is not there. */
export function findSdk(): string | undefined {
  try {
    return import.meta.resolve('@anthropic-ai/claude-agent-sdk');
  } catch {
    return undefined;
  }
}
