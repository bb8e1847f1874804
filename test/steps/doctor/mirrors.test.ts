import { expect, test } from "vitest";
import { sha256 } from "../../../lambdas/cluster/authorities.ts";
import { contentHash, type InputContent } from "../../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import { mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";
import type { SentInput } from "../../../lambdas/records/machine-record.ts";
import { lackingFindings } from "../../../lambdas/steps/doctor/given-nodes.ts";
import { mirrorFindings, untriedFindings } from "../../../lambdas/steps/doctor/mirrors.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-22T12:00:00Z");
const at = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR).toISOString();

const node = (name: string, runtime = "containerd://1.7.27") => ({ name, instanceId: `i-${name}`, runtime });
const path = "C:\\k\\containerd\\registries\\quay.io\\hosts.toml";
const content: InputContent = { sha256: "new", files: [{ path, text: "new" }] };
const sent = (name: "new" | "old", more: Partial<SentInput> = {}): SentInput => ({
  ...{ sha256: name, files: [{ path, sha256: sha256(name) }], owner: "x:0", at: at(9) },
  ...more,
});
const open = { unconfirmed: { before: null, sent: [] } };
const stored = (hoursAgo: number) => ({ stored: contentHash(content), storedAt: NOW - hoursAgo * HOUR, blocked: null });

const findings = (
  records: Readonly<Record<string, SentInput | null>>,
  watch: Parameters<typeof lackingFindings>[3]["watch"],
) =>
  lackingFindings(
    mirrorsInput,
    content,
    Object.keys(records).map((name) => node(name)),
    {
      given: new Map(
        Object.entries(records).flatMap(([name, mirrors]) => (mirrors ? [[`i-${name}`, { mirrors }]] : [])),
      ),
      watch,
      now: NOW,
    },
  );

test("a node that differs is late an hour after the cluster's change, a node without a record too", () => {
  const records = { a: sent("new"), b: sent("old"), c: null };
  expect(findings(records, stored(0.9))).toEqual([]);
  expect(findings(records, stored(1.1))).toEqual([{ kind: "input-late", input: "mirrors", nodes: ["b", "c"] }]);
  expect(findings({ a: sent("new") }, stored(1.1))).toEqual([]);
});

test("a change that the schedule has not read yet makes no node late", () => {
  expect(findings({ b: sent("old") }, { ...stored(9), stored: "older" })).toEqual([]);
});

test("a node that has not confirmed the files is named an hour after they were sent", () => {
  const records = { a: sent("new", { ...open, at: at(0.9) }), b: sent("new", { ...open, at: at(1.1) }) };
  expect(findings(records, stored(9))).toEqual([{ kind: "input-unconfirmed", input: "mirrors", nodes: ["b"] }]);
});

test("a content with which a node failed is named at once, with every node that does not get it", () => {
  const blocked = { sha256: "new", instanceId: "i-a", until: null };
  const records = { a: sent("new", open), b: sent("old") };
  const found = findings(records, { ...stored(0), blocked });
  expect(found).toEqual([{ kind: "input-blocked", input: "mirrors", failed: "a", nodes: ["a", "b"] }]);
  const gone = { ...stored(0), blocked: { ...blocked, instanceId: "i-gone" } };
  expect(findings({ b: sent("old") }, gone)).toEqual([
    { kind: "input-blocked", input: "mirrors", failed: null, nodes: ["b"] },
  ]);
  const older = { ...stored(0), blocked: { ...blocked, sha256: "older" } };
  expect(findings({ b: sent("old") }, older)).toEqual([]);
});

test("lines that containerd cannot follow, lists that do not hold and insecure registries are named", () => {
  const line = { pulls: "digest", policy: "AllowContactingSource" } as const;
  const mirrors = mirrorsOf(
    [
      { ...line, object: "ImageDigestMirrorSet/web", source: "quay.io/team", mirrors: ["m.example.com/other"] },
      { ...line, object: "ImageDigestMirrorSet/hub", source: "docker.io", mirrors: ["plain.example.com:5000"] },
    ],
    { insecure: ["plain.example.com:5000"], blocked: ["bad.example.com"], allowed: [] },
  );
  expect(mirrorFindings(mirrors)).toMatchObject([
    { kind: "mirrors-inexpressible", faults: [{ object: "ImageDigestMirrorSet/web", reason: "path" }], unused: [] },
    { kind: "registries-not-enforced", list: "blocked", registries: ["bad.example.com"] },
    { kind: "registries-unencrypted", registries: expect.arrayContaining(["docker.io"]) },
  ]);
  expect(mirrorFindings(mirrorsOf([]))).toEqual([]);
});

test("nodes with a containerd that was never measured are named by version", () => {
  const nodes = [node("a"), node("b", "containerd://1.7.30"), node("c", "containerd://1.7.30"), node("d", "")];
  expect(untriedFindings(nodes)).toEqual([{ kind: "containerd-untried", version: "1.7.30", nodes: ["b", "c"] }]);
});
