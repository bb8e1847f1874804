import { afterEach, expect, test } from "vitest";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl, podOn, twoReplicas } from "../../others.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly } from "../../reading.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const SETTLES = 600;
const LABEL = "example.com/cart";
const mark = (value: string | null): Promise<void> =>
  kubectl(here, "PATCH", `/api/v1/nodes/${names[0]}`, { metadata: { labels: { [LABEL]: value } } });
const nodes = async () => (await newest(here)).nodes;
const gap = async (): Promise<number> => {
  const [first, second] = await nodes();
  return (Date.parse(second?.startedAt ?? "") - Date.parse(first?.endedAt ?? "")) / 1_000;
};

/** A rollout of two nodes; a workload runs on the first one alone, and finds no node after its eviction. */
async function begin(settleSeconds: number): Promise<void> {
  const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
  ({ here, names } = await poolOfFour(1, { pools: { ...pools, web: { ...pools.web, settleSeconds } } }));
  await mark("here");
  const anywhere = { nodeName: undefined, nodeSelector: { [LABEL]: "here" } };
  twoReplicas(here, "cart", podOn({ name: "", instanceId: "" }, "cart", { spec: anywhere }));
  await here.pass(3);
  await here.type("operator", `/win reboot ${names[0]} ${names[1]}`);
  await here.until(async () => (await nodes())[0]?.stage === "reboot", 60, "the first reboot");
  await mark(null);
  await here.until(async () => (await nodes())[0]?.status === "succeeded", 60, "the first node");
}

test("A rollout waits with its next node for evicted pods, says for which, and goes on when the time is over", async () => {
  await begin(SETTLES);
  await here.pass(3);
  expect((await nodes())[1]?.status).toBe("queued");
  expect(openly(here).at(-1)).toContain(
    "⏳ The next node waits until evicted pods are ready elsewhere as before: default/ReplicaSet cart (0 of 2 pods ready).",
  );
  await settled(here, 120);
  expect((await newest(here)).operation.summary).toBe("2 of 2 nodes are rebooted and proven.");
  expect(openly(here).at(-1)).not.toContain("The next node waits");
  expect(await gap()).toBeGreaterThanOrEqual(SETTLES);
});

test("A rollout begins its next node as soon as the pods are ready again", async () => {
  await begin(SETTLES);
  await mark("here");
  await settled(here, 120);
  expect(await gap()).toBeLessThan(SETTLES / 2);
});

test("A rollout of a pool without settleSeconds does not look at the pods", async () => {
  await begin(0);
  await settled(here, 120);
  expect(await gap()).toBeLessThan(120);
});
