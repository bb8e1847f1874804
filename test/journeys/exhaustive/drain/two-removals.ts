import { expect } from "vitest";
import { heldBack, newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { edge, guardedPod, kubectl, otherWeb, shortName, web } from "../../others.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";

/** The cluster with one more node of the Windows release that pool web has, in another pool: it takes the pods. */
export async function withThirdNode(configuration: object = {}): Promise<Journey> {
  const here = await withSeedNodes({ configuration });
  const labels = { "node.kubernetes.io/windows-build": "10.0.20348" };
  await kubectl(here, "PATCH", `/api/v1/nodes/${edge.name}`, { metadata: { labels } });
  return here;
}

/** Stage of the newest operation's node. */
export const stage = async (here: Journey) => (await newest(here)).nodes[0]?.stage;

/** A removal of one node of pool web that a budget blocks, with the slot of its pool. @returns its operation */
export async function firstRemoval(here: Journey): Promise<string> {
  await guardedPod(here, web);
  await confirmRemoval(here, shortName(web));
  await here.until(async () => (await stage(here)) === "evict", 10);
  expect(await heldBack(here)).toContainEqual(expect.stringMatching(/^slot remove-.*:0 ip-10-0-3-7/));
  return (await newest(here)).operation.id;
}

/** A second removal in the same pool, which waits. */
export async function secondRemoval(here: Journey): Promise<void> {
  await confirmRemoval(here, shortName(otherWeb));
  await here.until(async () => (await stage(here)) === "slot", 5);
  await here.pass(2);
}

/** ARN of an operation's execution. */
export const executionOf = async (here: Journey, id: string): Promise<string> =>
  (await here.operations()).find((operation) => operation.id === id)?.executionArn ?? "";
