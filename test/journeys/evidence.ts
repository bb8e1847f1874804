import type { Instance } from "@aws-sdk/client-ec2";
import type { V1Node } from "@kubernetes/client-node";
import { expect } from "vitest";
import { accounts, userOf } from "../../lambdas/cluster/accounts.ts";
import type { NodeRecord, OperationRecord } from "../../lambdas/records/records.ts";
import { isFunction } from "../../lib/functions.ts";
import type { Call } from "../../lib/sandbox/core/calls.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import type { SeenMessage } from "../../lib/sandbox/slack/message-log.ts";
import type { Journey } from "./journey.ts";

/** Lets time pass until no workflow runs any more. */
export const settled = (here: Journey, minutes = 90): Promise<void> =>
  here.until(
    () => here.simulator.lambda.executions().every(({ status }) => status !== "RUNNING"),
    minutes,
    "the end of every execution",
  );

/** The newest operation and its nodes. */
export async function newest(here: Journey): Promise<{ operation: OperationRecord; nodes: NodeRecord[] }> {
  const [operation] = await here.operations();
  if (!operation) throw new Error("the ledger holds no operation");
  return { operation, nodes: await here.nodes(operation.id) };
}

/** Every call that the simulator answered. */
export function calls(here: Journey, service?: string, action?: string): Call[] {
  const all: Call[] = [];
  for (let page = here.simulator.simulation.calls.after(0); page.length > 0; ) {
    all.push(...page);
    page = here.simulator.simulation.calls.after(page.at(-1)?.seq ?? 0);
  }
  return all.filter(
    (call) => (service === undefined || call.service === service) && (action === undefined || call.action === action),
  );
}

/** Messages of the app that everybody sees, oldest first; those of threads apart. */
export const spoken = (here: Journey): { readonly channel: SeenMessage[]; readonly thread: SeenMessage[] } => {
  const ours = here.simulator.slack.messages().filter(({ user, onlyTo }) => user === demo.slack.botUserId && !onlyTo);
  return { channel: ours.filter(({ threadTs }) => !threadTs), thread: ours.filter(({ threadTs }) => threadTs) };
};

/** Words of a message, blocks included, as one text. */
export const wordsOf = ({ text, blocks }: SeenMessage): string => `${text}\n${JSON.stringify(blocks)}`;

/** Instances that an operation launched, whatever became of them. */
export const launchedBy = (here: Journey, operation: string): Instance[] =>
  here.simulator.ec2
    .describe()
    .filter(({ Tags }) => Tags?.some(({ Key, Value }) => Key === "casement:operation" && Value === operation));

/** The Node of that name. */
export const nodeNamed = (here: Journey, name: string | null | undefined): V1Node | undefined =>
  here.simulator.kubernetes.objects("nodes").find(({ metadata }) => metadata.name === name) as V1Node | undefined;

/** Events on a Node, as kubectl shows them: "reason message". */
export const eventsOn = (here: Journey, name: string | null | undefined): string[] =>
  here.simulator.kubernetes.objects("events").flatMap((object) => {
    const event = object as unknown as { involvedObject: { name: string }; reason: string; message: string };
    return event.involvedObject.name === name ? [`${event.reason} ${event.message}`] : [];
  });

interface Secret {
  readonly name: string;
  readonly deletedAt: number | null;
  readonly versions: readonly { readonly text: string | null }[];
}

const allSecrets = (here: Journey): Secret[] => here.simulator.simulation.store.collection<Secret>("secrets").values();

/** Instances whose join secret can still be read. */
export const joinSecrets = (here: Journey): string[] =>
  allSecrets(here)
    .filter(({ name, deletedAt }) => name.includes("/join/") && deletedAt === null)
    .map(({ name }) => name.split("/").at(-1) ?? "");

/** Everything in the ledger's table, as DynamoDB's JSON. */
export async function ledgerItems(here: Journey): Promise<Record<string, Record<string, unknown>>[]> {
  const request = {
    method: "POST",
    url: "/",
    headers: { "x-amz-target": "DynamoDB_20120810.Scan", "content-type": "application/x-amz-json-1.0" },
    body: Buffer.from(JSON.stringify({ TableName: demo.ledgerTable })),
  };
  const owner = { principal: "owner", require: () => undefined, context: {} };
  const answer = await here.drive(here.simulator.dynamodb.service.answer("Scan", request, owner as never));
  return (JSON.parse(String(answer.body)) as { Items: Record<string, Record<string, unknown>>[] }).Items;
}

interface SlotEntry {
  readonly M: { readonly owner: { readonly S: string }; readonly node: { readonly S: string } };
}

const slotEntries = (item: Record<string, Record<string, unknown>>): readonly SlotEntry[] =>
  (item.entries?.L ?? []) as readonly SlotEntry[];

/** Entries that the ledger still holds back from others: leases, places on the way in, reservations of pools. */
export async function heldBack(here: Journey): Promise<string[]> {
  return (await ledgerItems(here)).flatMap((item) => {
    const key = String(item.pk?.S);
    if (key.startsWith("lease#")) return item.held?.BOOL === true ? [key] : [];
    if (key === "slots") return slotEntries(item).map(({ M }) => `slot ${M.owner.S} ${M.node.S}`);
    const entries = { ...(item.held?.M as object), ...(item.adding?.M as object) };
    return Object.keys(entries).map((owner) => `${key} ${owner}`);
  });
}

/** The credentials of registries, encoded and as passwords. */
function registryCredentials(here: Journey): string[] {
  const versions = allSecrets(here).flatMap(({ name, versions: all }) => (name.endsWith("/registries") ? all : []));
  const values = versions.flatMap(({ text }) => Object.values(JSON.parse(text ?? "{}") as Record<string, string>));
  return values.flatMap((value) => [value, Buffer.from(value, "base64").toString().split(":").slice(1).join(":")]);
}

/** The users with their passwords of proxies, and the passwords. */
function proxyCredentials(here: Journey): string[] {
  const versions = allSecrets(here).flatMap(({ name, versions: all }) => (name.endsWith("/proxy") ? all : []));
  const values = versions.flatMap(({ text }) => Object.values(JSON.parse(text ?? "{}") as Record<string, string>));
  return values.flatMap((value) => [value, value.split(":").slice(1).join(":")]);
}

/** Secrets that nobody may ever read anywhere but in their store. */
function canaries(here: Journey): string[] {
  const { signingSecret, botToken } = here.simulator.keys;
  const tokens = allSecrets(here).flatMap(({ versions }) =>
    versions.flatMap(({ text }) => (text ?? "").match(/eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/g) ?? []),
  );
  return [signingSecret, botToken, ...tokens, ...registryCredentials(here), ...proxyCredentials(here)];
}

interface StoredObject {
  readonly key: string;
  readonly content: string;
}

/** Texts in the bucket: plans, contents of inputs, copies of the audit; the payload is no text. */
const bucketTexts = (here: Journey): string[] =>
  here.simulator.simulation.store
    .collection<StoredObject>("s3-versions")
    .values()
    .filter(({ key }) => !key.startsWith("payload/"))
    .map(({ content }) => Buffer.from(content, "base64").toString());

async function noSecretShows(here: Journey): Promise<void> {
  const { store } = here.simulator.simulation;
  const places = {
    messages: here.simulator.slack.messages(),
    commands: store.collection("ssm-commands").values(),
    results: store.collection("ssm-invocations").values(),
    instances: here.simulator.ec2.describe(),
    events: here.simulator.kubernetes.objects("events"),
    ledger: await ledgerItems(here),
    executions: here.simulator.lambda.executions(),
    logs: here.logged,
    calls: calls(here),
    notices: here.simulator.topic.notifications(),
    bucket: bucketTexts(here),
  };
  for (const [place, content] of Object.entries(places)) {
    const base = JSON.stringify(content);
    // Parameters of commands are base64 of JSON.
    const decoded = base.replaceAll(/[A-Za-z0-9+/]{40,}={0,2}/g, (text) => Buffer.from(text, "base64").toString());
    for (const canary of canaries(here)) {
      expect(base.includes(canary) || decoded.includes(canary), `a secret shows in ${place}`).toBe(false);
    }
  }
}

const bot = new Set(accounts.map(userOf));

/** Calls by our own principals that the simulator forbade. */
export const denied = (here: Journey): Call[] =>
  calls(here).filter(
    ({ principal, status, error }) =>
      (isFunction(principal) || bot.has(principal) || principal === "casement") &&
      (status === 401 || /AccessDenied|UnauthorizedOperation|missing_scope/.test(error ?? "") || status === 403),
  );

/** Expects what must hold after every journey: nothing broke, nothing was forbidden, no secret is to be seen. */
export async function expectSound(here: Journey): Promise<void> {
  const broken = here.simulator.lambda.executions().filter(({ status }) => !["RUNNING", "SUCCEEDED"].includes(status));
  expect(broken.map(({ functionName, error }) => ({ functionName, error }))).toEqual([]);
  expect(here.simulator.lambda.deadLetters()).toEqual([]);
  expect(here.simulator.events.deadLetters()).toEqual([]);
  expect(denied(here)).toEqual([]);
  await noSecretShows(here);
}
