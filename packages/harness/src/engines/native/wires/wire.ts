// What a way to speak with providers must bring. Each loads its library on first use and reads no environment.
import type { ModelAccess } from '@toolyard/sdk';
import type { FetchStream } from '../fetch-stream.ts';
import type { CallOptions, Model } from '../provider.ts';

/** What a wire is built with: everything is given, so that the library never looks for it by itself. */
export interface WireSettings {
  name: string;
  /** Without a slash at its end. */
  baseURL: string;
  apiKey: string;
  authToken?: string;
  fetch: FetchStream;
}

export type Request = Pick<CallOptions, 'prompt' | 'tools' | 'maxOutputTokens'>;

export interface RequestFacts {
  sessionId: string;
  access: ModelAccess;
  /** About how much of the window the request takes. */
  usedTokens: number;
}

export interface Wire {
  /** Loads the library; the result builds models by their name at the provider. */
  load(): Promise<(settings: WireSettings) => (model: string) => Model>;
  /** It shows a sign of life while the model thinks. */
  pings?: true;
  /** The request as this wire wants it: what may be cached is marked, what is the provider's own is set. */
  prepare(request: Request, facts: RequestFacts): Request & Pick<CallOptions, 'providerOptions'>;
}
