import { afterEach, expect, test } from "vitest";
import { denied, expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { authorityOn, nodes, podNameOn, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";
import { type SeedNode, web } from "../../others.ts";
import { kubectlLogs } from "../../outside.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

/** A cluster in which each of these nodes runs a pod whose log is read. */
async function start(talking: readonly SeedNode[] = nodes): Promise<void> {
  here = await startTalking(talking);
}

const replaceSigner = (): Promise<void> => replaceSignerOf(here);
const hashOn = (node: SeedNode): string | undefined => authorityOn(here, node);

const logsOn = async (node: SeedNode): Promise<number> => (await kubectlLogs(here, podNameOn(node))).status;
const said = (words: string): number => here.said().filter((one) => one.includes(words)).length;
const notified = (): string[] => [...new Set(here.simulator.topic.notifications().map(({ message }) => message))];
const operations = async () => (await here.operations()).filter(({ request }) => request.command === "authority");

test("a new signer of the cluster's reaches every node, one node first, and logs are read again on all", async () => {
  await start();
  const before = hashOn(web);
  await replaceSigner();
  await here.pass(40);
  expect(nodes.map(hashOn).every((hash) => hash !== before && hash === hashOn(web))).toBe(true);
  expect(await Promise.all(nodes.map(logsOn))).toEqual([200, 200, 200]);
  const [operation] = await operations();
  expect(await operations()).toHaveLength(1);
  expect(operation).toMatchObject({
    status: "succeeded",
    origin: { by: "rule", rule: "authority" },
    summary: "3 nodes updated.",
  });
  expect(said("3 nodes updated")).toBe(1);
  expect(JSON.stringify(here.said())).not.toContain("<@");
  await here.type("operator", "/win operations");
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toMatch(/authority-[0-9a-f]{8}.*succeeded.*authority/);
  const sent = here.simulator.simulation.store
    .collection<{ comment: string; instanceIds: readonly string[] }>("ssm-commands")
    .values()
    .filter(({ comment }) => comment.startsWith(operation?.id ?? "none"));
  expect(sent.map(({ instanceIds }) => instanceIds.length)).toEqual([1, 2]);
  expect(notified()).toEqual([]);
  await expectSound(here);
});

test("nothing is said and nothing is changed while every node has what the cluster publishes", async () => {
  await start([]);
  const messages = here.said().length;
  await here.pass(50);
  expect(here.said()).toHaveLength(messages);
  expect(await operations()).toEqual([]);
  expect(denied(here)).toEqual([]);
});
