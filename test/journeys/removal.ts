import { expect } from "vitest";
import { expectSound, heldBack, newest, nodeNamed, settled } from "./evidence.ts";
import { type Journey, type JourneyOptions, startJourney } from "./journey.ts";
import { type SeedNode, stateOf } from "./others.ts";
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
