// Runs in the page before anything else there, and stands alone: it is sent as text.

/** Has the console trace whoever sends, stores, takes in or draws one of these words; what is sent is traced as `sent`. */
export function watchInPage(words: readonly string[]): void {
  type Method = (this: unknown, ...args: unknown[]) => unknown;
  const isWatched = (value: unknown): boolean =>
    typeof value === 'string' && words.some((word) => value.includes(word));

  function watch(owner: object, name: string, label: string): void {
    const found = Object.getOwnPropertyDescriptor(owner, name);
    const original: Method = found?.set ?? found?.value;
    const watched: Method = function (...args) {
      if (args.some(isWatched)) console.trace(label);
      return original.apply(this, args);
    };
    Object.defineProperty(owner, name, { ...found, [found?.set ? 'set' : 'value']: watched });
  }
  watch(WebSocket.prototype, 'send', 'sent');
  watch(Storage.prototype, 'setItem', 'stored');
  watch(Document.prototype, 'createTextNode', 'drawn');
  watch(Node.prototype, 'textContent', 'drawn');
  watch(Node.prototype, 'nodeValue', 'drawn');

  // What arrives goes on where a promise is waited for: whoever settles one meanwhile hands it on.
  let isArriving = false;
  const { addEventListener } = EventTarget.prototype;
  WebSocket.prototype.addEventListener = function (type: string, listener: (event: Event) => void) {
    addEventListener.call(this, type, (event) => {
      isArriving = event instanceof MessageEvent && isWatched(event.data);
      listener(event);
      isArriving = false;
    });
  };
  globalThis.Promise = new Proxy(Promise, {
    construct(target, [executor]: [ConstructorParameters<typeof Promise>[0]], made) {
      const run: typeof executor = (resolve, reject) =>
        executor((value) => {
          if (isArriving) console.trace('arrived');
          resolve(value);
        }, reject);
      return Reflect.construct(target, [run], made === globalThis.Promise ? target : made);
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      const isStatic = typeof value === 'function' && typeof name === 'string' && name !== 'prototype';
      return isStatic ? value.bind(target) : value;
    },
  });
}
