import { expect, it } from "vitest";
import { dueNow } from "../../../lambdas/health/probe-turns.ts";
import type { DoctorFacts } from "../../../lambdas/steps/doctor/check.ts";
import { probeRound } from "../../../lambdas/steps/doctor/nodes/probe-round.ts";

const HOUR = 3_600_000;
const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };

const nodes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    metadata: {
      uid: `uid-${at}`,
      labels: { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348" },
    },
  }));

/** Findings of the doctor about the round of a fleet. */
const findings = (count: number, probed: object = images) => {
  const core = { listNode: async () => ({ metadata: {}, items: nodes(count) }) };
  const facts = { context: { clients: { kubernetes: { core } } }, configuration: { probe: { images: probed } } };
  return probeRound.observe(facts as unknown as DoctorFacts);
};

it("says how long a round of 200 nodes takes, in which each of them is probed once", async () => {
  const [round] = await findings(200);
  expect(round).toEqual({ kind: "probes-seldom", nodes: 200, perHour: 12, hours: 17 });
  const fleet = nodes(200).map(({ metadata: { uid } }) => ({ uid }));
  const ticks = Array.from({ length: 17 }, (_, hour) => dueNow(fleet, hour * HOUR).map(({ uid }) => uid));
  expect(Math.max(...ticks.map((due) => due.length))).toBe(12);
  expect(ticks.flat().toSorted()).toEqual(fleet.map(({ uid }) => uid).toSorted());
});

it.each([
  ["of 72 nodes", 72, images],
  ["without an image for its Windows", 200, { "2019": images["2022"], linux: images.linux }],
  ["without an image for Linux", 200, { "2022": images["2022"] }],
])("says nothing about a fleet %s", async (_, count, probed) => {
  expect(await findings(count, probed)).toEqual([]);
});
