/** Tells any number of readers that something changed; changes that come while a reader is busy are told once. */
export interface Changes {
  announce(): void;
  /** Yields at once, and then after each change, until the reader stops. */
  stream(): AsyncGenerator<void, void, void>;
}

/** Builds one without readers. */
export function changes(): Changes {
  let waiting: (() => void)[] = [];
  let count = 0;
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });
  return {
    announce: () => {
      count += 1;
      const told = waiting;
      waiting = [];
      for (const tell of told) tell();
    },
    async *stream() {
      let told = -1;
      while (true) {
        if (told === count) await next();
        told = count;
        yield;
      }
    },
  };
}
