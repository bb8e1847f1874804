/** Answer of the API; the body is parsed when it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** One request: method and path in one string, a body, headers beside the token. */
export type Ask = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
