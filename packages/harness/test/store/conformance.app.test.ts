// The SQLite store does what every store must do.
import { storeConformance } from '@toolyard/sdk/testing';
import { describe, test } from 'vitest';
import { newPath, openTestStore } from './support.ts';

describe('the SQLite store', () => {
  const cases = storeConformance(async () => {
    const path = newPath();
    let { store } = await openTestStore(path);
    return {
      store,
      async reopen() {
        await store.close();
        ({ store } = await openTestStore(path));
        return store;
      },
      close: () => store.close(),
    };
  });
  for (const { title, run } of cases) test(title, run);
});
