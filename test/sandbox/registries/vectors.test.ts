import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Exchange, RegistryAnswer } from "../../../lib/sandbox/registries/exchange.ts";
import { hostsFor, type RegistryHost } from "../../../lib/sandbox/registries/hosts.ts";
import { readReference } from "../../../lib/sandbox/registries/image-reference.ts";
import { type PullInput, type PullOutcome, pull } from "../../../lib/sandbox/registries/pull.ts";
import { behaviourOf } from "../../../lib/sandbox/registries/versions.ts";
import { type RegistryState, vectorRegistries, withDigests, withLetters } from "./vector-registries.ts";

type Asked = readonly [string, string, number | string, { readonly times?: number; readonly [key: string]: unknown }?];

/** One vector: what containerd 2.2.0 did with these files and registries. */
interface Vector {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
  readonly filesAfterResolve?: Readonly<Record<string, string>>;
  readonly windowsLookup?: boolean;
  readonly ref: string;
  readonly registries: Readonly<Record<string, RegistryState>>;
  readonly hosts: readonly string[];
  readonly requests: readonly Asked[];
  readonly result: {
    readonly ok: boolean;
    readonly from?: string | Readonly<Record<string, string>>;
    readonly resolvedBy?: string;
    readonly error?: string;
  };
  /** Differences of 1.6.20. */
  readonly v1_6_20?: object;
}

/** A vector that containerd 1.7 answered in another way. */
interface Row {
  readonly id: string;
  readonly requests: readonly string[];
  readonly ok: boolean;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../containerd/${name}`, import.meta.url), "utf8"));
const vectors = read("vectors-2.json") as readonly Vector[];
const { rows } = read("vectors-1.7.json") as { readonly rows: readonly Row[] };

/** Vectors that the model does not answer, by the reason. */
const unmodelled: Readonly<Record<string, readonly string[]>> = {
  "The model knows what a registry holds, not its bytes.": [
    "allow-tag-html",
    "allow-digest-html",
    "allow-tag-no-digest-get-404",
    "allow-tag-wrong-blob",
    "allow-tag-cut-blob",
    "allow-tag-stuck-blob",
  ],
  "The model has no pull secrets and no token services.": [
    "creds-any-host",
    "creds-token",
    "token-anonymous",
    "header-basic-and-creds",
    "header-bearer",
    "header-bearer-canonical",
  ],
  "The model follows no redirect.": ["redirect-other", "redirect-subdomain", "redirect-http", "redirect-creds"],
  "The model can read every file, and reads no certificate.": ["file-is-dir", "file-unreadable", "legacy-with-broken"],
  "The model does not read config.toml.": ["header-cri-global", "config-path-list"],
};

/** Rows of 1.7 that show the registries of that run, not containerd: they served no index and no other path, as root. */
const ofTheRun = new Set(["path-ns-nov2-suffix", "file-unreadable", "ref-index", "foreign-all-404"]);

const bytesOf = (text: string): Uint8Array =>
  text.startsWith("base64:") ? Buffer.from(text.slice(7), "base64") : Buffer.from(text);

const filesOf = (files: Readonly<Record<string, string>>): Record<string, Uint8Array> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, bytesOf(text)]));

const inputOf = (vector: Vector, version: string): PullInput => ({
  files: filesOf(vector.files),
  ...(vector.filesAfterResolve ? { filesAtFetch: filesOf(vector.filesAfterResolve) } : {}),
  isWindows: vector.windowsLookup === true,
  root: "<root>",
  version,
  image: withDigests(vector.ref),
  ask: vectorRegistries(vector.registries),
});

const answered = (answer: RegistryAnswer): number | string => ("fault" in answer ? answer.fault : answer.status);

/** Spells the headers of a request as the vectors do. */
function extraOf(header: Exchange["request"]["header"]): Record<string, unknown> {
  const all = Object.entries(header).map(([name, values]): [string, string] => [name, values.join(" | ")]);
  const isAuth = ([name]: [string, string]): boolean => name.toLowerCase() === "authorization";
  const auth = all.filter(isAuth).map(([name, value]) => `${name}: ${value}`);
  const headers = Object.fromEntries(all.filter((one) => !isAuth(one)));
  return { ...(auth.length > 0 ? { auth } : {}), ...(Object.keys(headers).length > 0 ? { headers } : {}) };
}

const askedIn = (exchanges: readonly Exchange[]): unknown[] =>
  exchanges.map(({ request: { method, url, header }, answer }) => [
    method,
    withLetters(url),
    answered(answer),
    extraOf(header),
  ]);

const repeated = (requests: readonly Asked[]): unknown[] =>
  requests.flatMap(([method, url, answer, { times = 1, ...extra } = {}]) =>
    Array.from({ length: times }, () => [method, url, answer, extra]),
  );

/** Cuts what Go says of an address: it differs by network. */
const withoutAddress = (text: string): string => text.replace(/dial tcp.*$/, "dial tcp");

/** Words of the result, as the vectors record them: without what the CRI plugin puts before them. */
function errorOf(outcome: PullOutcome): string | undefined {
  if (outcome.pulled) return undefined;
  const own = outcome.error.replace(/^failed to pull and unpack image "[^"]*": (?:failed to resolve image: )?/, "");
  return withoutAddress(withLetters(own));
}

function servedBy(outcome: PullOutcome, { result: { from } }: Vector): unknown {
  if (!outcome.pulled || typeof from !== "string") return undefined;
  const hosts = [...new Set(Object.values(outcome.from))];
  return hosts.length === 1 ? hosts[0] : hosts;
}

/** Spells a host as the vectors do. */
function spelled({ scheme, host, path, capabilities, header, fallsBack }: RegistryHost): string {
  const known = capabilities.includes("push") && capabilities.length > 1 ? "all" : capabilities.join("+");
  const values = Object.entries(header).map(([name, all]) => `${name}=${all.join("|")}`);
  const headers = values.length > 0 ? [`header{${values.toSorted().join(",")}}`] : [];
  return [`${scheme}://${host}${path}`, known, ...headers, ...(fallsBack ? ["https-then-http"] : [])].join(" ");
}

/** Lists the hosts of a vector; none where the list itself fails. */
function hostsOf(input: PullInput): string[] {
  try {
    const { registry } = readReference(input.image);
    return hostsFor(input, registry, behaviourOf(input.version)).map(spelled);
  } catch {
    return [];
  }
}

const seen = (vector: Vector) => {
  const input = inputOf(vector, "2.2.0");
  const { exchanges, outcome } = pull(input);
  return {
    hosts: hostsOf(input),
    requests: askedIn(exchanges),
    ok: outcome.pulled,
    error: errorOf(outcome),
    from: servedBy(outcome, vector),
    resolvedBy: outcome.pulled && vector.result.resolvedBy ? outcome.resolvedBy : undefined,
  };
};

const wanted = ({ hosts, requests, result: { ok, error, from, resolvedBy } }: Vector) => ({
  hosts,
  requests: repeated(requests),
  ok,
  error: error === undefined ? undefined : withoutAddress(error),
  from: ok && typeof from === "string" ? from : undefined,
  resolvedBy: ok ? resolvedBy : undefined,
});

const unmodelledIds = new Set(Object.values(unmodelled).flat());
const isUnmodelled = ({ id }: Vector): boolean => unmodelledIds.has(id);

const modelled = vectors.filter((vector) => !isUnmodelled(vector));

test.each(modelled)("the model answers $id as containerd 2.2 does", (vector) => {
  expect(seen(vector)).toEqual(wanted(vector));
});

test.each(vectors.filter(isUnmodelled))("the model does not answer $id", (vector) => {
  expect(seen(vector)).not.toEqual(wanted(vector));
});

/** Adds the names by which a real network finds the same registries: in small letters, without the usual port. */
const onNetwork = (registries: Vector["registries"]): Vector["registries"] => ({
  ...Object.fromEntries(
    Object.entries(registries).map(([host, state]) => [host.toLowerCase().replace(/:443$/, ""), state]),
  ),
  ...registries,
});

/** Requests and the end of a pull by containerd 1.7, whose vectors come from a network. */
function seenBy17(vector: Vector): Omit<Row, "id"> {
  const { exchanges, outcome } = pull(inputOf({ ...vector, registries: onNetwork(vector.registries) }, "1.7.24"));
  const requests = exchanges.map(({ request: { method, url } }) => `${method} ${withLetters(url)}`);
  return { requests, ok: outcome.pulled };
}

const rowOf = ({ id }: Vector): Row | undefined => rows.find((row) => row.id === id && !ofTheRun.has(id));

test.each(modelled.filter(rowOf))("the model answers $id as containerd 1.7 does", (vector) => {
  const { requests, ok } = rowOf(vector) ?? {};
  expect(seenBy17(vector)).toEqual({ requests, ok });
});

test.each(modelled.filter((vector) => !rowOf(vector) && !vector.v1_6_20))(
  "containerd 1.7 answers $id as 2.2 does",
  (vector) => {
    const requests = repeated(vector.requests).map((one) => (one as string[]).slice(0, 2).join(" "));
    expect(seenBy17(vector)).toEqual({ requests, ok: vector.result.ok });
  },
);

test("what the model does not answer is a vector", () => {
  const known = vectors.map(({ id }) => id);
  expect([...unmodelledIds, ...ofTheRun].filter((id) => !known.includes(id))).toEqual([]);
});
