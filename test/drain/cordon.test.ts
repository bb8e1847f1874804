import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { giveBackCordon, putCordon } from "../../lambdas/change/node/cordon.ts";
import { OUT_OF_BALANCERS } from "../../lambdas/cluster/node-keys.ts";
import { Retryable } from "../../lambdas/errors.ts";
import { drainingSimulator, placeIn, refusal } from "./draining.ts";

let here: Awaited<ReturnType<typeof drainingSimulator>>;
beforeAll(async () => {
  here = await drainingSimulator();
});
afterAll(() => here.simulator.close());

/** A node of that name, and what a removal does with its cordon. */
async function cordoned(name: string, spec: object = {}) {
  const { order } = await placeIn(here, name, spec);
  const { uid } = order().node;
  const cordoning = { node: name, uid, instanceId: `i-${name}`, operation: "remove-1", index: 0, takesOut: true };
  const node = async () => {
    const { metadata, spec: now } = (await here.verbs.nodes.read(name)) ?? {};
    return { label: metadata?.labels?.[OUT_OF_BALANCERS], isCordoned: now?.unschedulable === true };
  };
  const cordon = () => putCordon(here.verbs, cordoning);
  return { node, cordon, giveBack: () => giveBackCordon(here.verbs, uid, "remove-1", false) };
}

describe("A2 DR-02 the label that takes a node out of load balancers", () => {
  test("is set with the cordon, and both are given back together", async () => {
    const { node, cordon, giveBack } = await cordoned("label-1");
    await cordon();
    expect(await node()).toEqual({ label: "true", isCordoned: true });
    expect(await giveBack()).toBe("uncordoned");
    expect(await node()).toEqual({ label: undefined, isCordoned: false });
  });

  test("is given back alone where others had cordoned the node before, also when the step has run twice", async () => {
    const { node, cordon, giveBack } = await cordoned("label-2", { unschedulable: true });
    await cordon();
    await cordon();
    expect(await node()).toEqual({ label: "true", isCordoned: true });
    expect(await giveBack()).toBe("as-before");
    expect(await node()).toEqual({ label: undefined, isCordoned: true });
  });

  test("stays where others had set it before", async () => {
    const { node, cordon, giveBack } = await cordoned("label-3");
    const before = await here.verbs.nodes.read("label-3");
    const { kubectl } = await placeIn(here, "label-3-admin");
    expect(before).toBeDefined();
    await kubectl("PATCH", "/api/v1/nodes/label-3", { metadata: { labels: { [OUT_OF_BALANCERS]: "" } } });
    await cordon();
    await giveBack();
    expect(await node()).toEqual({ label: "", isCordoned: false });
  });
});

test("V24 a cordon that meets another writer twice is tried again, and then holds", async () => {
  const { node, cordon } = await cordoned("v24");
  let conflicts = 2;
  here.script.answer = ({ method }) => {
    if (method !== "PATCH" || conflicts === 0) return undefined;
    conflicts -= 1;
    return refusal(409, "the object has been modified", "Conflict");
  };
  await expect(cordon()).rejects.toThrow(Retryable);
  await expect(cordon()).rejects.toThrow(Retryable);
  await cordon();
  expect((await node()).isCordoned).toBe(true);
});

describe("DR-23 volumes of pods that have left", () => {
  /** Shows a volume as attached to the node in so many lists; the simulator's controller would detach it at once. */
  const attached = (node: string, lists: number): void => {
    let left = lists;
    const spec = { nodeName: node, source: { persistentVolumeName: `pv-${node}` } };
    const items = [
      { metadata: { name: "csi-1" }, spec },
      { metadata: { name: "csi-2" }, spec: { ...spec, nodeName: "another" } },
    ];
    here.script.answer = ({ path }) => {
      if (!path.includes("volumeattachments")) return undefined;
      left -= 1;
      return { status: 200, body: { kind: "VolumeAttachmentList", items: left >= 0 ? items : items.slice(1) } };
    };
  };

  test("are waited for until they are detached", async () => {
    const { drain } = await placeIn(here, "dr-23");
    attached("dr-23", 2);
    const { end, seconds } = await drain();
    expect(end).toEqual({ kind: "drained" });
    expect(seconds).toBeGreaterThanOrEqual(15);
  });

  test("are left with a note after seven minutes, and at once where they may not be listed", async () => {
    const { drain } = await placeIn(here, "dr-23b");
    attached("dr-23b", 1_000);
    const { end, seconds } = await drain();
    expect(end).toEqual({ kind: "drained", volumes: { attached: ["pv-dr-23b"] } });
    expect(seconds).toBeGreaterThan(400);
    here.script.answer = ({ path }) => (path.includes("volumeattachments") ? refusal(403, "not yours") : undefined);
    expect((await drain()).end).toEqual({ kind: "drained", volumes: { unreadable: "not yours" } });
  });
});

test("V20 of three hundred pods at most ten are asked at a time, and of a budget that allows one, one", {
  tags: ["long"],
}, async () => {
  const { pod, tick, budget, evictions, name } = await placeIn(here, "v20");
  for (let index = 0; index < 280; index += 1) pod(`web-${index}`);
  const other = { namespace: name, labels: { app: "free" } };
  for (let index = 0; index < 20; index += 1) pod(`free-${index}`, { metadata: { ...other, name: `free-${index}` } });
  await budget("web", { minAvailable: 279 });
  here.sent.length = 0;
  const stop = { mayGoOn: async () => evictions().length < 21 };
  await tick(null, stop);
  expect(Math.max(...here.sent.map(({ underWay }) => underWay))).toBeLessThanOrEqual(10);
  const ofBudget = evictions().filter(({ path }) => path.includes("/web-"));
  expect(ofBudget).toHaveLength(1);
});
