import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { createSet, filesOn, nodes, paged, reconciles, said, startMirroring } from "../../mirroring.ts";
import { batch, ec2, edge, kubectl, otherWeb, type SeedNode, shortName, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { confirmRemoval } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const has = (node: SeedNode): boolean => Object.keys(filesOn(here, node)).length > 0;

/** Commands that a machine was given since the beginning, by their comment. */
const commandsTo = ({ instanceId }: SeedNode): readonly string[] =>
  here.simulator.simulation.store
    .collection<{ comment: string; instanceIds: readonly string[] }>("ssm-commands")
    .values()
    .filter(({ comment, instanceIds }) => comment.startsWith("reconcile-") && instanceIds.includes(instanceId))
    .map(({ comment }) => comment);

const annotate = (url: string, annotations: object): Promise<void> =>
  kubectl(here, "PATCH", url, { metadata: { annotations } });

/** Ways in which a node cannot or must not be changed, each with its end. */
const reasons: readonly (readonly [string, () => Promise<() => Promise<unknown>>, RegExp])[] = [
  [
    "is off",
    async () => {
      await ec2(here, "StopInstances", { "InstanceId.1": otherWeb.instanceId });
      await here.pass(3);
      return () => ec2(here, "StartInstances", { "InstanceId.1": otherWeb.instanceId });
    },
    /nothing to change\.\n• `\S+` runs on an instance that is stopped\./,
  ],
  [
    "has a silent agent",
    async () => {
      const silent = injectFault(here, "agent-silent", { instanceId: otherWeb.instanceId });
      // An agent that sends no heartbeat is lost after half an hour.
      await here.pass(31);
      return async () => endFault(here, silent);
    },
    /nothing to change\.\n• `\S+` has an SSM agent that does not answer\./,
  ],
  [
    "is held by an operator",
    async () => {
      await here.type("operator", `/win hold ${shortName(otherWeb)} --reason "disk"`);
      await here.pass(1);
      return () => here.type("operator", `/win unhold ${shortName(otherWeb)}`);
    },
    /nothing to change\.\n• `\S+` is held by .*: disk\./,
  ],
  [
    "is held by an annotation",
    async () => {
      await annotate(`/api/v1/nodes/${otherWeb.name}`, { "casement.dev/hold": "kernel dump" });
      return () => annotate(`/api/v1/nodes/${otherWeb.name}`, { "casement.dev/hold": null });
    },
    /nothing to change\.\n• `\S+` is held by the annotation .*: kernel dump\./,
  ],
];

test.for(reasons)("a node that %s is not written to, and gets the files afterwards", async ([, begin, why]) => {
  here = await startMirroring();
  const end = await begin();
  await createSet(here, "tag", "team", quay);
  await here.until(() => said(here, "2 nodes updated") === 1, 12, "the others");
  await here.pass(11);
  expect(has(otherWeb)).toBe(false);
  expect(commandsTo(otherWeb)).toEqual([]);
  expect(await reconciles(here)).toHaveLength(1);
  await here.type("operator", `/win reconcile ${shortName(otherWeb)}`);
  await here.pass(2);
  expect(privately(here, "operator").at(-1)).toMatch(why);
  await end();
  await here.until(() => said(here, "1 node updated") === 1, 40, "the node");
  expect(filesOn(here, otherWeb)).toEqual(filesOn(here, web));
  expect(filesOn(here, edge)).toEqual({});
  expect(commandsTo(edge)).toEqual([]);
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test("a frozen pool is left alone until the thaw, and a person's reconcile does not reach it either", async () => {
  here = await startMirroring();
  await here.type("operator", '/win freeze web --reason "release night" --for 4h');
  await createSet(here, "tag", "team", quay);
  await here.until(() => said(here, "1 node updated") === 1, 12, "the other pool");
  await here.type("operator", "/win reconcile web");
  await here.pass(6);
  expect([has(web), has(otherWeb), has(batch)]).toEqual([false, false, true]);
  expect([...commandsTo(web), ...commandsTo(otherWeb)]).toEqual([]);
  expect(privately(here, "operator").at(-1)).toMatch(
    /nothing to change\. The requested nodes are up to date; .* frozen or held were left out/,
  );
  await here.type("operator", "/win thaw web");
  await here.until(() => said(here, "2 nodes updated") === 1, 12, "the pool");
  expect(nodes.every(has)).toBe(true);
});

test("a node that a removal works on is left to it, and the others get the files", async () => {
  here = await startMirroring();
  injectFault(here, "kubernetes-5xx", { resource: "pods/eviction" });
  await confirmRemoval(here, web.name);
  await here.pass(1);
  await createSet(here, "tag", "team", quay);
  await here.until(() => said(here, "2 nodes updated") === 1, 12, "the others");
  await here.pass(6);
  expect(has(web)).toBe(false);
  expect(commandsTo(web)).toEqual([]);
});

test("an agent that falls silent in the middle fails its node alone, and a later tick takes it", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "team", quay);
  await here.until(async () => (await reconciles(here)).length === 1, 12, "the operation");
  const silent = injectFault(here, "agent-silent", { instanceId: batch.instanceId });
  await here.until(async () => (await reconciles(here))[0]?.endedAt !== null, 30, "the end");
  expect(openly(here).at(-1)).toMatch(/2 nodes updated, 1 node failed/);
  expect(openly(here).at(-1)).toContain(batch.name);
  expect([has(web), has(otherWeb)]).toEqual([true, true]);
  endFault(here, silent);
  await here.until(() => said(here, "1 node updated") === 1, 90, "the node");
  expect(filesOn(here, batch)).toEqual(filesOn(here, web));
  expect(await heldBack(here)).toEqual([]);
});

test("a node that an administrator deletes between the ticks is not taken for one that needs files", async () => {
  here = await startMirroring();
  await kubectl(here, "DELETE", `/api/v1/nodes/${batch.name}`);
  await createSet(here, "tag", "team", quay);
  await here.until(() => said(here, "nodes updated") === 1, 12, "the end");
  expect(openly(here).at(-1)).toMatch(/: 2 nodes updated\./);
  expect(has(batch)).toBe(false);
  expect(commandsTo(batch)).toEqual([]);
});

test("a first agent that falls silent proves nothing: the next node is first, the rest follow, and nothing is blocked", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "team", quay);
  const begun = async () => (await here.nodes((await reconciles(here))[0]?.id ?? ""))[0];
  await here.until(async () => (await begun()) !== undefined, 12, "the first node");
  const silent = injectFault(here, "agent-silent", { instanceId: (await begun())?.instanceId ?? "" });
  await here.until(async () => (await reconciles(here))[0]?.endedAt !== null, 40, "the end");
  expect(openly(here).at(-1)).toMatch(/2 nodes updated, 1 node failed/);
  expect(openly(here).at(-1)).toContain("the SSM agent did not take the command in time");
  expect(nodes.filter(has)).toHaveLength(2);
  endFault(here, silent);
  await here.until(() => said(here, "1 node updated") === 1, 90, "the node");
  expect(nodes.every(has)).toBe(true);
});
