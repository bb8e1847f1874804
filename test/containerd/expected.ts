import { byObject } from "./requests.ts";
import { type Asked, type Outcome, olderRows, type Vector, vectors } from "./vectors.ts";

/** Vectors that cannot be run as pulls of CRI in a namespace, each with its reason. */
export const notRun: Readonly<Record<string, string>> = {
  "allow-tag-dial-timeout": "nothing on loopback swallows a connection without an answer",
  "http-skip-verify-no-port-down": "a try over http that is refused after one over https leaves no trace",
  "win-port-joined": "directories are looked up by the function of Windows",
  "win-port-colon": "directories are looked up by the function of Windows",
  "file-unreadable": "containerd runs as root, which reads every file",
};

/** Rows of `vectors-1.7.json` that came of the registries of that run: served here, 1.7 answers as 2.2 does. */
export const struckRows: readonly string[] = ["path-ns-nov2-suffix", "ref-index", "foreign-all-404", "file-unreadable"];

/** Vectors that 1.7 no longer answers as 1.6: it tries https before http, as 2.2 does. */
const isHttpsFirst = ({ id }: Vector): boolean => /^(http|localhost)-/.test(id);

const status = (code: string): string =>
  `unexpected status from HEAD request to https://src.example/v2/team/app/manifests/v1: ${code}`;

/** Errors that 1.7 words in its own way; the first failure that is not a 404 is told, not the worst. */
const olderErrors: Readonly<Record<string, string>> = {
  "allow-tag-stuck-blob": "failed to read expected number of bytes: unexpected EOF",
  "last-500-once": status("500 Internal Server Error"),
  "last-503-500": status("503 Service Unavailable"),
  "error-priority":
    'failed to do request: Head "https://a.example/v2/team/app/manifests/v1?ns=src.example": dial tcp 127.0.0.1:443: connect: connection refused',
  "foreign-403":
    "failed to copy: httpReadSeeker: failed open: unexpected status code https://urls-1.example/layer: 403 Forbidden",
};

/** Expectation of what one version of containerd does with a vector. */
export interface Expected {
  readonly ok: boolean;
  /** Requests, object by object. */
  readonly requests: readonly Asked[];
  /** Are answers and headers known, or methods and addresses alone? */
  readonly isWhole: boolean;
  /** CRI's error, where the vectors know it. */
  readonly error?: string;
}

/** A try over TLS at a registry that speaks plain HTTP is no request: nothing of it is read, and it is not logged. */
export const isRequest = ([, , answer]: Asked): boolean => answer !== "plain-http";

/** Leaves out of an error what differs from one network and one build of containerd to the next. */
export const comparable = (error: string): string =>
  error
    .replace(/sha256:[0-9a-f]{64}/g, "{other}")
    .replace(/\?ns=[^" ]+/, "?ns=*")
    .replace(/dial tcp.*: lookup (\w+).*/, "lookup $1")
    .replace(/dial tcp [\d.]+/, "dial tcp *");

function asked(requests: Vector["requests"]): Asked[] {
  const each = requests.flatMap(([method, url, answer, { times = 1, ...carried } = {}]) => {
    const line = [method, url.replace(/sha256:[0-9a-f]{64}/g, "{other}"), answer] as const;
    const one: Asked = Object.keys(carried).length > 0 ? [...line, carried] : line;
    return Array.from({ length: times }, () => one);
  });
  return byObject(each).filter(isRequest);
}

/** CRI's words around an error: 1.7's resolving names the reference. */
function worded({ ref, normalizedRef = ref }: Vector, { stage, error }: Outcome, isOlder: boolean): string {
  const resolving = isOlder ? `failed to resolve reference "${normalizedRef}": ` : "failed to resolve image: ";
  return `failed to pull and unpack image "${normalizedRef}": ${stage === "resolve" ? resolving : ""}${error}`;
}

function errorOf(vector: Vector, outcome: Outcome, isOlder: boolean): { error?: string } {
  const isGivenUp = vector.requests.some(([, , answer]) => answer === "hang");
  const error = (isOlder ? olderErrors[vector.id] : undefined) ?? outcome.error;
  return error && !isGivenUp ? { error: worded(vector, { ...outcome, error }, isOlder) } : {};
}

/** Takes the answer of 1.7: its row, else that of 1.6, else that of 2.2. */
function older(vector: Vector): Expected {
  const row = olderRows.find(({ id }) => id === vector.id && !struckRows.includes(id));
  if (row) {
    const requests = row.requests.map((line) => [...line.split(" "), ""] as unknown as Asked);
    return { ok: row.ok, requests: byObject(requests), isWhole: false };
  }
  const { requests, result = vector.result } = isHttpsFirst(vector) ? vector : (vector.v1_6_20 ?? vector);
  return { ok: result.ok, requests: asked(requests), isWhole: true, ...errorOf(vector, result, true) };
}

/**
 * Says what is expected of a vector.
 * @param version such as 1.7.24
 */
export function expectedOf(vector: Vector, version: string): Expected {
  if (version.startsWith("1.7.")) return older(vector);
  // The capability came with 2.2; before it, an unknown one drops the file.
  const isUnknown = version.startsWith("2.1.") && vector.id === "cap-referrers";
  const { requests, result = vector.result } = (isUnknown ? vector.v1_6_20 : undefined) ?? vector;
  return { ok: result.ok, requests: asked(requests), isWhole: true, ...errorOf(vector, result, false) };
}

/** The vectors that are run. */
export const runVectors = vectors.filter(({ id }) => !(id in notRun));
