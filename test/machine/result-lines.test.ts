import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGuard } from "../../lambdas/capabilities/guard/row.ts";
import { readRoute } from "../../lambdas/change/node/route.ts";
import { readApplied } from "../../lambdas/engine/apply-plan.ts";
import { packed } from "../../lambdas/machine/questions.ts";
import { answersIn, parseResult } from "../../lambdas/machine/result-lines.ts";
import { whyMessage } from "../../lambdas/messages/node/why.ts";
import type { DocumentScript } from "../../lambdas/scripts/documents.ts";
import { resultOf } from "../../lambdas/steps/machine/machine.ts";
import { observationStateOf } from "../../lambdas/steps/machine/machine-observation.ts";
import { healthy } from "../health/health-facts.ts";

const failed = { action: "service kubelet", error: "denied", code: "service-not-started" };
const guard = { present: true, sha256: "aa", taskEnabled: true, lastResult: 0, paths: 1, error: "" };
const observed = { script: "observe", ok: true, bootId: "7", clock: 1_800_000_000 };

/** A line of each form that the scripts print. */
const lines: readonly (readonly [DocumentScript, Readonly<Record<string, unknown>>])[] = [
  [
    "apply",
    { script: "apply", ok: true, changed: ["file C:\\k"], unchanged: 2, failed, rebootDue: true, restartDue: [] },
  ],
  ["reboot", { script: "reboot", ok: false, bootIdBefore: "7", bootIdAfter: "7", error: "no guard" }],
  ["route", { script: "route", ok: false, changed: [], failed }],
  ["observe", { ...observed, hashes: { boot: "ab" }, failed: { hns: "no WMI" } }],
  ["observe", { script: "observe", ok: true, files: [{ path: "C:\\k", sha256: null }] }],
  ["observe", { script: "observe", ok: false, error: "no WMI", code: "wmi-broken" }],
  [
    "observe",
    {
      ...{ ...observed, build: "10.0.20348", metadataAnswers: true, guard, features: [], rebootPending: false },
      ...{ services: [{ name: "kubelet", state: "Running", startType: "Automatic" }], hnsNetworks: [] },
    },
  ],
];

const answers = {
  paths: [{ path: "C:\\k", kind: "file", sha256: "aa", size: 3 }],
  services: [{ name: "kubelet", state: "Stopped", startType: "Manual", exitCode: 1, process: 0, log: "panic" }],
  tasks: [{ name: "Casement guard", enabled: true, lastResult: 0, error: "" }],
  rules: [{ name: "kubelet", enabled: true, action: "Allow", protocol: "TCP", ports: "10250", remoteAddresses: [] }],
  registry: [{ key: "HKLM:\\k", name: "n", value: null }],
  certificates: [{ store: "Root", thumbprints: ["AA"] }],
  routes: [{ prefix: "169.254.169.254/32", nextHop: "10.0.0.1", interface: "e", mac: "02", usable: true }],
  hns: { networks: ["pods"], endpoints: [{ name: "VIPEndpoint", ip: "10.0.0.2", attached: true }] },
  reboot: { reasons: ["servicing"] },
  boot: { bootedAt: "2026-11-20T08:00:00Z", events: [{ id: 1074, at: "2026-11-20T07:59:00Z", text: "asked" }] },
  guard: { present: true, sha256: "aa", taskEnabled: true, lastResult: 1, error: "no route", repairs: 2 },
  metadata: { answers: false },
  disk: { freeBytes: 1, sizeBytes: 2 },
  agent: { proxiedBy: ["service"] },
} as const;

const HOSTILE = "<!channel> <@U0SECOPS> <https://evil.example|Sign in>";

/** A value of a hostile machine, where something else belongs. */
const rubbish = fc.oneof(
  fc.constantFrom(HOSTILE, "", "x".repeat(60_000), -1, 1e308, 0.5, "9999-99-99T00:00:00Z", "+275760-09-13T00:00:00Z"),
  fc.jsonValue(),
);

/** Every place in a value: its own, and those inside it. */
const placesIn = (value: unknown): (string | number)[][] =>
  typeof value !== "object" || value === null
    ? [[]]
    : [[], ...Object.entries(value).flatMap(([key, one]) => placesIn(one).map((place) => [key, ...place]))];

function withAt(value: unknown, [key, ...rest]: readonly (string | number)[], put: unknown): unknown {
  if (key === undefined) return put;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  copy[key] = withAt(copy[key], rest, put);
  return copy;
}

/** A value in which one place holds something else. */
const damaged = (value: unknown) =>
  fc.tuple(fc.constantFrom(...placesIn(value)), rubbish).map(([place, put]) => withAt(value, place, put));

/** Readers of one machine's answer, by script. */
const readers: Readonly<Record<DocumentScript, (result: object) => unknown>> = {
  apply: readApplied,
  route: readRoute,
  reboot: () => null,
  observe: (result) => ("guard" in result || !("ok" in result && result.ok) ? readGuard(result, { files: [] }) : null),
};

const LIVE = /<!channel>|<@U0SECOPS>|<https:\/\/evil/;

describe("A result line", () => {
  it.each(lines)("of %s is taken as it is: %j", (script, line) => {
    expect(parseResult(script, line)).toEqual(line);
  });

  it.each(lines)("of %s is refused or harmless, whatever one of its fields holds: %j", (script, line) => {
    fc.assert(
      fc.property(damaged(line), (value) => {
        const result = resultOf(JSON.stringify(value), script);
        if (result === undefined) return;
        expect(JSON.stringify(result).length).toBeLessThan(20_000);
        readers[script](result);
      }),
      { numRuns: 300 },
    );
  });

  it("is never read from rubbish", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.constantFrom(...lines), (text, [script]) => {
        expect(resultOf(text, script)).toBeUndefined();
      }),
    );
  });
});

describe("The answers of a machine", () => {
  it("are taken as they are", () => {
    expect(answersIn(`answers ${packed(answers as never)}\n{}`)).toEqual(answers);
  });

  it("end in no error and in no live link or mention of the answer to why, whatever one field holds", {
    tags: ["long"],
  }, () => {
    const verdict = JSON.stringify({ ...observed, hashes: {}, failed: { hns: HOSTILE } });
    fc.assert(
      fc.property(damaged(answers), (value) => {
        const output = `answers ${packed(value as never)}\n${verdict}`;
        const look = observationStateOf({ Status: "Success", StatusDetails: "Success", StandardOutputContent: output });
        if (look.state !== "answered") return;
        const machine = { known: true, value: { ...look, at: healthy.now } } as const;
        const message = whyMessage({ node: "web-1", facts: { ...healthy, machine }, heldBy: null, isAsked: false });
        expect(JSON.stringify(message)).not.toMatch(LIVE);
      }),
      { numRuns: 500 },
    );
  });
});
