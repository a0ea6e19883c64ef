// The real CLI as its person has it in a terminal: the same home, no Toolyard around it.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the installed SDK keeps the CLI of this platform. */
export const claudeExecutable = createRequire(import.meta.url).resolve(
  `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`,
);

/** One question and its answer, as `claude -p` prints it. */
export async function askInTerminal(
  question: string,
  { userHome, cwd, modelUrl }: { userHome: string; cwd: string; modelUrl: string },
): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: userHome,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'key-of-the-tests',
    // As root, settings that bypass every question need this word.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
  };
  const answering = run(claudeExecutable, ['-p', question], { cwd, env, timeout: 20_000 });
  // It waits for what may be piped in.
  answering.child.stdin?.end();
  return (await answering).stdout.trim();
}
