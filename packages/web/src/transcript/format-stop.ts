// What is said of a turn that stopped, in the words of the button beside it. Pure.
import type { EndItem } from '@toolyard/sdk';

const retryWords = / ?\bRetry (?:to continue|it)\b[^.]*\./;

/** Only the latest turn can be retried: of an earlier one the server's words do not say so. */
export function toStopWords(message: string, { isLatest }: { isLatest: boolean }): string {
  return isLatest ? message : message.replace(retryWords, '');
}

export function toRetryLabel({ outcome, error }: Pick<EndItem, 'outcome' | 'error'>): 'Retry' | 'Go on' {
  return outcome === 'failed' || retryWords.test(error?.message ?? '') ? 'Retry' : 'Go on';
}
