import { expect, test } from "vitest";
import { showMirrors } from "../../../lambdas/capabilities/mirrors/show-mirrors.ts";
import type { ObjectReference } from "../../../lambdas/inputs/input.ts";
import { mirrorSetOf } from "../../change/inputs/mirror-fleet.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { readBlocks } from "../../journeys/reading.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

interface Scene {
  readonly inputs?: "none" | "openshift";
  readonly asked?: readonly string[];
  readonly remarks?: readonly string[];
}

/** Shows the mirrors of a cluster with two registries. */
async function shown(registry: string | null, { inputs = "openshift", asked = [], remarks = [] }: Scene = {}) {
  const objects: Readonly<Record<string, readonly object[]>> = {
    ImageTagMirrorSet: [mirrorSetOf(2, "first")],
    Image: [{ spec: {} }],
  };
  const steps = verbs({
    runtime: { read: async () => ({ version: "7", configuration: configurationWith({ inputs }) }) },
    inputObjects: { read: async (all: readonly ObjectReference[]) => all.map(({ kind }) => objects[kind] ?? []) },
    secretFacts: { read: async () => undefined },
    nodes: { all: async () => [] },
    instances: { ofCluster: async () => [] },
    claims: { all: async () => [] },
    machines: {
      given: { all: async () => new Map() },
      seen: { all: async () => new Map() },
      assistance: { all: async () => [] },
    },
    inputWatches: { of: () => ({ read: async () => ({ asked, remarks }) }) },
  });
  const settings = { runtimeVersion: "7", region: "us-west-2", runbook: null };
  return readBlocks((await showMirrors(steps, { command: "mirrors", registry }, settings)).blocks);
}

test("every registry is shown, and one that was named alone", async () => {
  const all = await shown(null);
  expect(all).toContain("registry-0.example.com");
  expect(all).toContain("registry-1.example.com");
  const one = await shown("registry-0.example.com");
  expect(one).toContain("registry-0.example.com");
  expect(one).not.toContain("registry-1.example.com");
});

test("a question stands at its own registry", async () => {
  const question = {
    asked: ["registry-0.example.com: quay.io"],
    remarks: ["Another remark.", "Type this to cut it off."],
  };
  expect(await shown("registry-0.example.com", question)).toContain("Type this to cut it off.");
  expect(await shown("registry-1.example.com", question)).not.toContain("Type this to cut it off.");
});

test("a registry without mirrors, and a cluster whose mirrors are not applied, are mistakes", async () => {
  await expect(shown("docker.io")).rejects.toThrow("docker.io");
  await expect(shown(null, { inputs: "none" })).rejects.toThrow("cluster.inputs");
});
