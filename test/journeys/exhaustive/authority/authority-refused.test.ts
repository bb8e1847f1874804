import { afterEach, expect, test } from "vitest";
import { heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { authorityOn, nodes, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

const said = (words: string): number => here.said().filter((one) => one.includes(words)).length;
const hashes = () => nodes.map((node) => authorityOn(here, node));
const operations = async () => (await here.operations()).filter(({ request }) => request.command === "authority");
const notified = (): string[] => [...new Set(here.simulator.topic.notifications().map(({ message }) => message))];

/** Every node has a new file, and the operation that gave it ended well. */
async function expectUpdated(before: readonly (string | undefined)[]): Promise<void> {
  await here.until(() => said("3 nodes updated") === 1, 40, "the change");
  const after = hashes();
  expect(after.every((hash, at) => hash !== before[at] && hash === after[0])).toBe(true);
  await here.pass(2);
  expect((await operations())[0]).toMatchObject({ status: "succeeded", summary: "3 nodes updated." });
  expect(await heldBack(here)).toEqual([]);
}

test("an API server that answers 503 for half an hour changes nothing, and the next tick gives every node the file", async () => {
  here = await startTalking(nodes);
  const before = hashes();
  await replaceSignerOf(here);
  const away = injectFault(here, "kubernetes-5xx");
  await here.pass(30);
  expect(hashes()).toEqual(before);
  expect(await operations()).toEqual([]);
  endFault(here, away);
  await expectUpdated(before);
});

test("an API server that answers 503 in the middle of the change ends it, and the nodes have the file once it answers", async () => {
  here = await startTalking(nodes);
  const before = hashes();
  await replaceSignerOf(here);
  await here.until(async () => (await operations()).length === 1, 20, "the operation");
  const away = injectFault(here, "kubernetes-5xx");
  await here.pass(2);
  endFault(here, away);
  await here.until(async () => (await operations())[0]?.endedAt !== null, 30, "its end");
  await here.until(() => new Set(hashes()).size === 1 && hashes()[0] !== before[0], 90, "the file on every node");
  await here.pass(20);
  expect((await operations()).every(({ endedAt }) => endedAt !== null)).toBe(true);
  expect(await heldBack(here)).toEqual([]);
});

const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

test("a right that is taken away and given back: people are told once, nothing is changed before, and all is made up for", async () => {
  here = await startTalking(nodes);
  const before = hashes();
  await replaceSignerOf(here);
  const bindings = here.simulator.kubernetes.objects("clusterrolebindings", "rbac.authorization.k8s.io");
  const looking = bindings.filter(({ metadata }) => metadata.name.startsWith("casement-look"));
  expect(looking.length).toBeGreaterThan(0);
  for (const { metadata } of looking) await kubectl(here, "DELETE", `${BINDINGS}/${metadata.name}`);
  await here.pass(45);
  expect(hashes()).toEqual(before);
  expect(await operations()).toEqual([]);
  const told = notified().filter((one) => /403|forbidden|refuse|cannot/i.test(one) && /client authorit/i.test(one));
  expect(told).toHaveLength(1);
  for (const { metadata, ...rest } of looking)
    await kubectl(here, "POST", BINDINGS, { ...rest, metadata: { name: metadata.name } });
  await expectUpdated(before);
  expect(said("client authority is kept up to date again")).toBe(1);
});
