import { expect } from "vitest";
import type { Assistance } from "../../lambdas/machine/assistance.ts";
import { guardFile } from "../../lambdas/machine/machine-paths.ts";
import { APPROVE_OPERATION } from "../../lambdas/messages/slack/buttons.ts";
import { keys } from "../../lambdas/records/ledger-table.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { heldBack, newest, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { edge, shortName } from "./others.ts";
import { openly, privately } from "./reading.ts";

/** The seed node of a MachineSet, as people type it. */
export const EDGE = shortName(edge);

/** The value of `casement:managed` on the machine of the MachineSet; undefined without the tag. */
export const tagOf = (here: Journey): string | undefined =>
  here.simulator.ec2
    .describe()
    .find(({ InstanceId }) => InstanceId === edge.instanceId)
    ?.Tags?.find(({ Key }) => Key === "casement:managed")?.Value;

const described = (here: Journey) => here.simulator.machines.describe(edge.instanceId);

/** Everything of Casement's own on that machine: files and tasks. */
export const traces = (here: Journey): string[] => [
  ...(described(here)?.files ?? []).map(({ path }) => path).filter((path) => path.startsWith("C:\\Casement\\")),
  ...(described(here)?.tasks ?? []).map(({ name }) => name).filter((name) => /casement/i.test(name)),
];

/** Is the guard there, as a file and as a task? */
export const isGuarded = (here: Journey): boolean =>
  traces(here).includes(guardFile) && traces(here).some((name) => /guard$/.test(name));

/** The ledger's approval of that machine's assistance; undefined without one. */
export async function recordOf(here: Journey): Promise<Assistance | undefined> {
  const { pk, sk } = keys.machineRecord(edge.instanceId);
  const body = JSON.stringify({ TableName: demo.ledgerTable, Key: { pk: { S: pk }, sk: { S: sk } } });
  const owner = { principal: "owner", require: () => undefined };
  const request = { method: "POST", url: "/", headers: {}, body: Buffer.from(body) };
  const answer = await here.drive(here.simulator.dynamodb.service.answer("GetItem", request, owner));
  const { Item } = JSON.parse(String(Buffer.from(answer.body as Uint8Array)));
  const { expiresAt, value } = Item?.assistance?.M ?? {};
  if (!value || Number(expiresAt?.N ?? Number.POSITIVE_INFINITY) <= Date.now() / 1_000) return undefined;
  return { state: value.M.state.S, operation: value.M.operation.S } as Assistance;
}

/** Types a command and waits for its card. @returns the card's words */
export async function asked(here: Journey, command: string): Promise<string> {
  await here.type("operator", `/win ${command}`);
  await here.until(() => /\[Approve\]/.test(openly(here).at(-1) ?? ""), 8, "the card");
  return openly(here).at(-1) ?? "";
}

/** Types a command and lets it end. @returns everything that was said since, in the channel and to the requester */
export async function typed(here: Journey, command: string, minutes = 240): Promise<string> {
  const before = [openly(here).length, privately(here, "operator").length] as const;
  await here.type("operator", `/win ${command}`);
  await settled(here, minutes);
  expect(await heldBack(here)).toEqual([]);
  return [...openly(here).slice(before[0]), ...privately(here, "operator").slice(before[1])].join("\n");
}

/** Has a machine of another owner assisted: asked, approved, guarded. @returns the card */
export async function assist(here: Journey, node = edge): Promise<string> {
  const card = await asked(here, `assist ${shortName(node)}`);
  await here.press("approver", APPROVE_OPERATION);
  await settled(here, 90);
  const { operation, nodes } = await newest(here);
  expect({ status: operation.status, failure: nodes[0]?.failure }).toEqual({ status: "succeeded", failure: null });
  return card;
}
