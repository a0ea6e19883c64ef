// What an engine needs to reach one model. The harness finds it in the environment and the person's configuration;
// the engine reads neither.
import type { ProviderType } from '../protocol/config/provider.ts';

export interface ModelAccess {
  /** As `provider/model` names it. */
  provider: string;
  type: ProviderType;
  /** The model's name at the provider. */
  model: string;
  /** As programs of that type write it: without `/v1` for Anthropic, with it for OpenAI, with `/v1beta` for Google. */
  baseUrl: string;
  apiKey?: string;
  /** In place of a key: sent as a bearer token. */
  authToken?: string;
  /** Tokens the model can read, when known. */
  window?: number;
  /** Tokens it may answer with, when known. */
  maxOutput?: number;
  /** What a person checks when the key or the address is wrong: names of variables or keys of the configuration. */
  settings: { key: string; address: string };
  /** What a person may have meant, should the provider not know the model. */
  hint?: string;
}
