/** One HTTP request as every service of the simulator sees it, whether it came over loopback or in process. */
export interface WireRequest {
  readonly method: string;
  /** Path with query, beginning with "/", exactly as sent (still percent-encoded). */
  readonly url: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One HTTP answer. A body that is iterated is sent piece by piece (Kubernetes watches). */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** The request's body as UTF-8 text. */
export const textOf = (request: WireRequest): string => Buffer.from(request.body).toString("utf8");

/** A JSON answer with the given status (default 200) and content type. */
export const json = (
  value: unknown,
  status = 200,
  contentType = "application/json",
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({
  status,
  headers: { "content-type": contentType, ...headers },
  body: JSON.stringify(value),
});

/** The request's path without its query, still percent-encoded. */
export const pathOf = (request: WireRequest): string => request.url.split("?", 1)[0] ?? "";

/** The request's query without "?", still percent-encoded; empty when there is none. */
export const queryOf = (request: WireRequest): string => request.url.slice(pathOf(request).length + 1);

/** The whole body of an answer as text; one that is iterated is read to its end. */
export async function textOfAnswer({ body }: WireResponse): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}

/** Percent-encoding by RFC 3986, as Signature Version 4 and the AWS SDK demand it: stricter than encodeURIComponent. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
