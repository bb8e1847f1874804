import { expect } from "vitest";
import { CORDONED_BY } from "../../lambdas/cluster/node-keys.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { heldBack, newest, nodeNamed, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { web } from "./others.ts";
import { withSeedNodes } from "./removal.ts";

/** The seed node of pool web, as people type it. */
export const SHORT = "ip-10-0-3-7";

/** Takes the node no new pods? */
export const isCordoned = (here: Journey): boolean => nodeNamed(here, web.name)?.spec?.unschedulable === true;

/** The operation that the node's annotation names as the owner of its cordon. */
export const ownerShown = (here: Journey): string | undefined =>
  nodeNamed(here, web.name)?.metadata?.annotations?.[CORDONED_BY];

/** A cluster with seed nodes, in which a command needs no approval. */
export const unasked = (command: "drain" | "reboot", deadlines: object = {}): Promise<Journey> =>
  withSeedNodes({ configuration: { approvals: { [command]: { needs: 0 } }, deadlines } });

/** A drain of the node that takes what it loses. */
export const forcedDrain = `/win drain ${SHORT} --force ${web.name}`;

/** Types a command and waits for its end. @returns status and summary of the operation */
export async function outcomeOf(here: Journey, command: string): Promise<readonly [string, string]> {
  await here.type("operator", command);
  await settled(here, 60);
  const { status, summary } = (await newest(here)).operation;
  return [status, withWord(summary, here.configuration.command)];
}

/** Runs a command to its end, after which nothing is held. @returns the operation's summary */
export async function run(here: Journey, command: string, minutes: number): Promise<string> {
  await here.type("operator", `/win ${command}`);
  await settled(here, minutes);
  expect(await heldBack(here)).toEqual([]);
  return (await newest(here)).operation.summary;
}
