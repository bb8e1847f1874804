import { describe, expect, test } from "vitest";
import type { Exchange, RegistryAnswer } from "../../../lib/sandbox/registries/exchange.ts";
import { hostsFor, type RegistryHost } from "../../../lib/sandbox/registries/hosts.ts";
import { readReference } from "../../../lib/sandbox/registries/image-reference.ts";
import { type PullInput, type PullOutcome, pull } from "../../../lib/sandbox/registries/pull.ts";
import { behaviourOf } from "../../../lib/sandbox/registries/versions.ts";
import { comparable, expectedOf, isRequest } from "../../containerd/expected.ts";
import { byObject } from "../../containerd/requests.ts";
import { type Asked, type Vector as PulledVector, vectors as pulledVectors } from "../../containerd/vectors.ts";
import { vectorRegistries, withDigests, withLetters } from "./vector-registries.ts";

/** A vector with the fields that show how the hosts were found and who served. */
interface Vector extends PulledVector {
  readonly windowsLookup?: boolean;
  readonly hosts: readonly string[];
  readonly result: PulledVector["result"] & { readonly from?: string | object; readonly resolvedBy?: string };
}

const vectors = pulledVectors as readonly Vector[];

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

const repeated = (requests: Vector["requests"]): unknown[] =>
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

describe.each(["1.7.24", "2.1.9"])("containerd %s, asked by its CRI plugin on a network", (version) => {
  test.each(modelled)("answers $id as the model does", (vector) => {
    const { exchanges, outcome } = pull(inputOf({ ...vector, registries: onNetwork(vector.registries) }, version));
    const { requests, isWhole, ok, error } = expectedOf(vector, version);
    const asked = byObject(askedIn(exchanges) as unknown as Asked[]).filter(isRequest);
    const lines = (all: readonly Asked[]): unknown[] => all.map((one) => one.slice(0, isWhole ? 3 : 2));
    expect({ ok: outcome.pulled, asked: lines(asked) }).toEqual({ ok, asked: lines(requests) });
    if (error)
      expect(outcome).toMatchObject({
        error: expect.toSatisfy((own) => comparable(withLetters(own)) === comparable(error)),
      });
  });
});

test("what the model does not answer is a vector", () => {
  const known = vectors.map(({ id }) => id);
  expect([...unmodelledIds].filter((id) => !known.includes(id))).toEqual([]);
});
