import { expect, test } from "vitest";
import type { InputValue, MachineInputs } from "../../../lambdas/records/machine-record.ts";
import { kubeletClientFindings } from "../../../lambdas/steps/doctor/kubelet-clients.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const signer = (name: string, notAfter = "2027-10-01T00:00:00.000Z") => ({
  subject: `CN=kube-apiserver-to-kubelet-signer@${name}`,
  fingerprint: name,
  notAfter,
});
const metrics = { subject: "CN=csr-signer", fingerprint: "csr", notAfter: "2027-01-01T00:00:00.000Z" };
const [old, fresh] = [signer("old", "2027-02-01T00:00:00.000Z"), signer("fresh")];

const node = (name: string) => ({ name, instanceId: `i-${name}` });
const trusting = (name: string, authorities: NonNullable<InputValue["authorities"]>): [string, MachineInputs] => [
  `i-${name}`,
  { kubeletClients: { owner: "add-1:0", at: "2026-01-01T00:00:00.000Z", sha256: "00", authorities } },
];

test("nodes that trust all that the cluster publishes are no finding, also while the old signer is still among it", () => {
  const known = new Map([trusting("a", [old, fresh, metrics])]);
  expect(kubeletClientFindings([old, fresh, metrics], [node("a")], known, NOW)).toEqual([]);
  expect(kubeletClientFindings([fresh, metrics], [node("a")], known, NOW)).toEqual([]);
});

test("a node without the new signer will answer no logs; one without another authority may refuse other clients", () => {
  const known = new Map([trusting("a", [old]), trusting("b", [old, fresh, metrics])]);
  expect(kubeletClientFindings([old, fresh, metrics], [node("a"), node("b")], known, NOW)).toEqual([
    { kind: "authority-missing", nodes: ["a"], authority: fresh.subject, logs: true },
    { kind: "authority-missing", nodes: ["a"], authority: metrics.subject, logs: false },
  ]);
});

test("an authority that has ended is missed nowhere", () => {
  const ended = signer("ended", "2026-11-22T11:59:59.000Z");
  expect(kubeletClientFindings([ended, fresh], [node("a")], new Map([trusting("a", [fresh])]), NOW)).toEqual([]);
});

test("a node of which nothing is recorded is named, and no other machine's record stands for it", () => {
  const machines = [node("a"), { name: "b", instanceId: null }];
  expect(kubeletClientFindings([fresh], machines, new Map([trusting("gone", [old])]), NOW)).toEqual([
    { kind: "authority-unknown", nodes: ["a", "b"] },
  ]);
});

test("the cluster's newest signer is told a month before its end, as long as no newer one is there", () => {
  const soon = signer("soon", "2026-12-20T00:00:00.000Z");
  expect(kubeletClientFindings([soon], [], new Map(), NOW)).toEqual([
    { kind: "authority-ends", authority: soon.subject, at: soon.notAfter },
  ]);
  expect(kubeletClientFindings([soon, fresh], [], new Map(), NOW)).toEqual([]);
});
