/** Reason why one part of the payload cannot be had. */
export class PartError extends Error {
  override readonly name = "PartError";
  /** Status of the answer that refused the request; undefined for any other reason. */
  readonly status: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = options.status;
  }
}

/** Releases a connection, and builds the error of an answer that is no success. */
export async function refusalOf(url: string, answer: Response): Promise<PartError> {
  await answer.body?.cancel();
  return new PartError(`${url} answered ${answer.status}`, { status: answer.status });
}

/** Access to publishers and registries. */
export interface Network {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds since the epoch, to which a Retry-After date is compared. */
  readonly now: () => number;
}

/** The internet, as this process reaches it. */
export const realNetwork: Network = {
  fetch,
  pause: (ms) => new Promise((done) => setTimeout(done, ms)),
  now: Date.now,
};

/** A request that follows redirects only to known places. */
export interface Request {
  readonly url: string;
  /** Domains that may answer, each with its subdomains; null for every host, if a digest verifies the content. */
  readonly domains: readonly string[] | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const ATTEMPTS = 5;
const REDIRECTS = 5;
/** A publisher that demands a longer pause is not waited for. */
const LONGEST_PAUSE_MS = 120_000;

const REDIRECT: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** Checks where a redirect leads. @throws PartError for another publisher's host, or for plain http */
function requireKnown(next: URL, { url, domains }: Request): void {
  if (next.protocol !== "https:") throw new PartError(`${url} redirects to ${next.origin}, which is not https`);
  if (domains && !domains.some((domain) => isWithin(next.hostname, domain)))
    throw new PartError(`${url} redirects to ${next.hostname}, which is not its publisher's`);
}

/** Removes the credential of a request that leaves its origin: a storage refuses it, and it is meant for the registry. */
function headersFor(from: URL, to: URL, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (from.origin === to.origin) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "authorization"));
}

async function followed(network: Network, request: Request): Promise<Response> {
  let [at, headers] = [new URL(request.url), { "accept-encoding": "identity", ...request.headers }] as const;
  for (let redirects = 0; redirects <= REDIRECTS; redirects += 1) {
    const answer = await network.fetch(at.href, { headers, redirect: "manual" });
    if (!REDIRECT.has(answer.status)) return answer;
    await answer.body?.cancel();
    const next = new URL(answer.headers.get("location") ?? "", at);
    requireKnown(next, request);
    [at, headers] = [next, headersFor(at, next, headers) as typeof headers];
  }
  throw new PartError(`${request.url} redirects more than ${REDIRECTS} times`);
}

/** Reads how long a server demands to wait (RFC 9110, Retry-After: seconds or a date); null if it names nothing. */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const backoff = (attempt: number): number => 1_000 * 2 ** (attempt - 1);

/** Describes a failure of the network: fetch itself says "fetch failed" and hides the reason in its cause. */
function networkWords(url: string, error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return `${new URL(url).hostname} did not answer: ${cause?.code ?? cause?.message ?? message}`;
}

/**
 * Sends a GET, and repeats it where that may help: after a failure of the network, and after 429 and 5xx as Retry-After
 * says.
 * @returns an answer of any other status
 * @throws PartError that names the publisher's host
 */
export async function get(network: Network, request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await followed(network, request).catch((error: unknown) => {
      if (error instanceof PartError || attempt === ATTEMPTS)
        throw error instanceof PartError ? error : new PartError(networkWords(request.url, error));
      return null;
    });
    if (answer && !TRANSIENT.has(answer.status)) return answer;
    await answer?.body?.cancel();
    const pause = retryAfter(answer?.headers.get("retry-after") ?? null, network.now()) ?? backoff(attempt);
    if (answer && (attempt === ATTEMPTS || pause > LONGEST_PAUSE_MS))
      throw new PartError(refusal(request.url, answer, pause));
    await network.pause(pause);
  }
}

const refusal = (url: string, { status }: Response, pause: number): string =>
  `${url} answered ${status}${status === 429 ? ` (too many requests): try again in ${Math.ceil(pause / 1_000)} seconds` : ""}`;

/** Reads a short text. @throws PartError with the status, and for a text that is too long */
export async function textAt(network: Network, request: Request, longest = 1_000_000): Promise<string> {
  const answer = await get(network, request);
  if (!answer.ok) throw await refusalOf(request.url, answer);
  const text = await answer.text();
  if (text.length > longest) throw new PartError(`${request.url} is longer than ${longest} characters`);
  return text;
}
