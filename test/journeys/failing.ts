import { expect } from "vitest";
import type { NodeRecord } from "../../lambdas/records/records.ts";
import { isKept } from "../../lambdas/records/records.ts";
import {
  calls,
  expectSound,
  heldBack,
  joinSecrets,
  launchedBy,
  newest,
  nodeNamed,
  settled,
  spoken,
} from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { injectFault } from "./outside.ts";
import { shows } from "./slack-users.ts";

/** The instance that was launched last. */
export const launchedId = (here: Journey): string => here.simulator.ec2.describe().at(-1)?.InstanceId ?? "";
/** And its Node's name. */
export const launchedName = (here: Journey): string => here.simulator.ec2.describe().at(-1)?.PrivateDnsName ?? "";

/** Failing takes as long as a stage may: minutes are enough to see it. */
export const impatient = {
  deadlines: {
    provision: { agent: 8, features: 12, "client-csr": 3, "serving-csr": 3, network: 4, keepFailed: 20 },
  },
};

/** Lets time pass until the message asks what becomes of the machine. */
export async function asked(here: Journey): Promise<NodeRecord> {
  await here.until(
    () => spoken(here).channel.some((message) => shows(message, "terminate-instance")),
    60,
    "a question",
  );
  return (await newest(here)).nodes[0] as NodeRecord;
}

/** Fails an add of one node and keeps its machine. @returns the instance's id */
export async function keepOne(here: Journey): Promise<string> {
  injectFault(here, "agent-never-online");
  await here.type("operator", "/win add web");
  await asked(here);
  await here.press("operator", "keep-instance");
  await settled(here);
  return launchedId(here);
}

/** After the end nothing is left of it, but for an instance that an operator wanted to keep. */
export async function expectPutAway(here: Journey, kept: boolean): Promise<void> {
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes.map(({ status, callbacks }) => ({ status, callbacks }))).toEqual([{ status: "failed", callbacks: {} }]);
  expect(launchedBy(here, operation.id).map(({ State }) => State?.Name)).toEqual([kept ? "running" : "terminated"]);
  expect(calls(here, "ec2", "RunInstances")).toHaveLength(1);
  if (!kept) expect(nodeNamed(here, launchedName(here))).toBeUndefined();
  expect(joinSecrets(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  const [message, ...more] = spoken(here).channel;
  expect(more).toEqual([]);
  // A kept machine keeps its button for as long as it lives; one that serves the cluster has none.
  expect(message && shows(message, "terminate-instance")).toBe(nodes.some(isKept));
  await expectSound(here);
}
