// Which model answers: the person's own, if a key is found in the environment, else the rehearsal.

export interface AnthropicAccess {
  /** Without `/v1`, as the Claude CLI means it. */
  baseUrl?: string;
  apiKey?: string;
  authToken?: string;
}

/** The person's access to Anthropic, or nothing when the environment holds no key. */
export function findAnthropicAccess(env: NodeJS.ProcessEnv): AnthropicAccess | undefined {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseUrl } = env;
  if (!apiKey && !authToken) return undefined;
  return { ...(apiKey && { apiKey }), ...(authToken && { authToken }), ...(baseUrl && { baseUrl }) };
}
