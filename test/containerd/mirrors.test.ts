import fc from "fast-check";
import { expect, test } from "vitest";
import { serverOf } from "../../lambdas/inputs/mirrors/location.ts";
import type { MirrorRule } from "../../lambdas/inputs/mirrors/mirror-sets.ts";
import { mirrorsOf } from "../../lambdas/inputs/mirrors/mirrors.ts";
import { type PullOutcome, pull } from "../../lib/sandbox/registries/pull.ts";
import { vectorRegistries, withDigests, withLetters } from "../sandbox/registries/vector-registries.ts";
import { describeEach } from "./each.ts";
import { comparable } from "./expected.ts";
import type { PullOrder } from "./orders.ts";
import { byObject } from "./requests.ts";
import { type Asked, hostsOf, type Registry } from "./vectors.ts";

/** Sets that each containerd is asked for. */
const RUNS = 40;
/** The same sets every time: a lane that fails by chance tells nobody anything. */
const SEED = 20;
const LIMIT_MS = 50_000;

const mirrors = ["a.example", "b.example:5000", "c.example"];
const sources = ["src.example", "docker.io"];

const rule: fc.Arbitrary<MirrorRule> = fc
  .record({
    number: fc.nat(2),
    registry: fc.constantFrom(...sources),
    path: fc.constantFrom("", "/x", "/x/y", "/z"),
    prefix: fc.constantFrom("", "/hub"),
    hosts: fc.uniqueArray(fc.constantFrom(...mirrors), { minLength: 1 }),
    policy: fc.constantFrom("AllowContactingSource", "NeverContactSource"),
    pulls: fc.constantFrom("digest", "tag"),
  })
  .map(({ number, registry, path, prefix, hosts, policy, pulls }) => ({
    object: `Set/${number}`,
    source: `${registry}${path}`,
    mirrors: hosts.map((host) => `${host}${prefix}${path}`),
    policy,
    pulls,
  }));

const state = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Registry>("up") },
  { weight: 5, arbitrary: fc.constantFrom<Registry>("refused", "plain-http", 404, 401, 429, 500) },
  { weight: 1, arbitrary: fc.constant<Registry>("hang") },
);

const names = [...mirrors, "src.example", "registry-1.docker.io"];
const registries = fc.record(Object.fromEntries(names.map((name) => [name, state])));

const cases = fc.record({
  rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
  insecure: fc.uniqueArray(fc.constantFrom(...mirrors, ...sources), { maxLength: 2 }),
  registries,
  registry: fc.constantFrom(...sources),
  image: fc.constantFrom("x/y:v1", "x/y@{M}", "z:v1", "z/z:index"),
});

/**
 * Leaves out what cannot be seen. containerd does not log that it tries http after https, and nobody notices a try that
 * meets no one.
 */
function noticed(requests: readonly Asked[]): readonly string[] {
  const lines = requests
    .filter(([, , answer]) => answer !== "plain-http")
    .map(([method, url, answer]) =>
      [method, answer === "refused" ? url.replace(/^https?/, "") : url, answer].join(" "),
    );
  return lines.filter((line, index) => !line.endsWith("refused") || line !== lines[index - 1]);
}

const endOf = (outcome: PullOutcome): string => {
  if (outcome.pulled) return "pulled";
  return outcome.hung ? "given up" : comparable(withLetters(outcome.error));
};

/** Predicts a pull: requests, and its end. */
function predicted({ files = {}, ref, registries: states }: PullOrder, version: string) {
  const { exchanges, outcome } = pull({
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
    isWindows: false,
    root: "<root>",
    version,
    image: withDigests(ref),
    ask: vectorRegistries(states),
  });
  const requests = exchanges.map(({ request: { method, url }, answer }): Asked => {
    return [method, withLetters(url), "fault" in answer ? answer.fault : answer.status];
  });
  return { requests: noticed(byObject(requests)), end: endOf(outcome) };
}

describeEach(hostsOf([{ registries: Object.fromEntries(names.map((name) => [name, "up"])) }]), (tested) => {
  test("files of any mirror sets lead containerd to the registries that the model names", async () => {
    let count = 0;
    let forbidding = 0;
    const asks = fc.asyncProperty(cases, async ({ rules, insecure, registries: states, registry, image }) => {
      const { files } = mirrorsOf(rules, { insecure, blocked: [], allowed: [] });
      const order: PullOrder = {
        files: Object.fromEntries(files.map(({ folder, text }) => [`${folder}/hosts.toml`, text])),
        registries: states,
        ref: `${registry}/${image}`,
        salt: `${count++}`,
      };
      const { ok, message, requests } = await tested.containerd().pull(order);
      const end = ok ? "pulled" : comparable(message);
      expect({ requests: noticed(requests), end }).toEqual(predicted(order, tested.version));

      const isForbidden = files.some((file) => file.registry === registry && file.forbidsSource);
      const server = `//${serverOf(registry)}/v2/${image.replace(/[:@].*/, "")}/`;
      expect(isForbidden && requests.some(([, url]) => url.includes(server))).toBe(false);
      forbidding += isForbidden ? 1 : 0;
    });
    await fc.assert(asks, { numRuns: RUNS, seed: SEED, interruptAfterTimeLimit: LIMIT_MS });
    expect(forbidding).toBeGreaterThan(RUNS / 10);
  });
});
