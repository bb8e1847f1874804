import { expect } from "vitest";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "./evidence.ts";
import { type Journey, type JourneyOptions, startJourney } from "./journey.ts";
import { podOn, type SeedNode, shortName, stateOf } from "./others.ts";
import { dialogOf } from "./reading.ts";

/** Starts a journey with seed nodes. */
export const withSeedNodes = (options: JourneyOptions = {}): Promise<Journey> =>
  startJourney({ ...options, seedNodes: true });

/** Asks for a removal and waits until the dialog shows what would go; returns what it says. */
export async function ask(here: Journey, node: string): Promise<string> {
  await here.type("operator", `/win remove ${node}`);
  await here.until(() => !dialogOf(here, "operator").includes("Reading the instance"), 6, "the dialog's facts");
  return dialogOf(here, "operator");
}

/** Makes so many pods on a node that its removal needs an approval. */
export async function crowd(here: Journey, node: SeedNode, prefix = "crowd"): Promise<void> {
  for (let at = 0; at < 6; at += 1) here.simulator.kubernetes.create(podOn(node, `${prefix}-${at}`));
  await here.pass(1);
}

/** Asks for the removal of a crowded node and says yes; its plan waits for an approval then. */
export async function askApproval(here: Journey, node: SeedNode): Promise<OperationRecord> {
  await crowd(here, node);
  await confirmRemoval(here, shortName(node));
  const asked = async () => (await newest(here)).operation;
  await here.until(async () => (await asked()).messageTs !== null, 3, "the question for an approval");
  return asked();
}

/** Asks for a removal and says yes; the removal has begun then. */
export async function confirmRemoval(here: Journey, node: string): Promise<void> {
  expect(await ask(here, node)).toContain("[Remove]");
  await here.submit("operator");
}

/** The node is out: instance and Node are gone, nothing is held back, the ledger says so. */
export async function expectGone(here: Journey, node: SeedNode): Promise<void> {
  await settled(here);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", callbacks: {} });
  expect(stateOf(here, node)).toBe("terminated");
  expect(nodeNamed(here, node.name)).toBeUndefined();
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
}

/** The node is as it was: running, there, schedulable (unless `unschedulable`); nothing is held back. */
export async function expectKept(here: Journey, node: SeedNode, unschedulable = false): Promise<void> {
  await settled(here);
  expect(stateOf(here, node)).toBe("running");
  expect(nodeNamed(here, node.name)?.spec?.unschedulable === true).toBe(unschedulable);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
}
