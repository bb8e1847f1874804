import { z } from "zod";
import { AwsError, type Caller } from "../core/aws-service.ts";
import type { Cloud } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Delivery, Recipient } from "./delivery.ts";
import { parametersOf } from "./document-parameters.ts";
import { contentOf, type Documents, LARGEST_BYTES, platformTypesOf, stepsOf } from "./documents.ts";
import type { ManagedInstances } from "./managed-instances.ts";
import type { Command, CommandRejection, DocumentRecord } from "./model.ts";
import { machinesFor, targetsInput } from "./targets.ts";

/** Input of SendCommand; lengths and ranges are those of the API reference. */
export const sendCommandInput = z.strictObject({
  DocumentName: z.string().regex(/^[a-zA-Z0-9_\-.:/]{3,128}$/),
  DocumentVersion: z
    .string()
    .regex(/^([$]LATEST|[$]DEFAULT|[1-9][0-9]*)$/)
    .default("$DEFAULT"),
  DocumentHash: z.string().max(256).optional(),
  DocumentHashType: z.enum(["Sha256", "Sha1"]).default("Sha256"),
  InstanceIds: z
    .array(z.string().regex(/^(i-([0-9a-f]{8}|[0-9a-f]{17})|mi-[0-9a-f]{17})$/))
    .max(50)
    .default([]),
  Parameters: z.record(z.string(), z.array(z.string())).default({}),
  TimeoutSeconds: z.number().int().min(30).max(2_592_000).default(3_600),
  Comment: z.string().max(100).default(""),
  MaxConcurrency: z
    .string()
    .regex(/^([1-9][0-9]*|[1-9]%|[1-9][0-9]%|100%)$/)
    .default("50"),
  MaxErrors: z
    .string()
    .regex(/^([1-9][0-9]*|0|[1-9]%|[0-9]{2}%|100%)$/)
    .default("0"),
  Targets: targetsInput.default([]),
});

type Input = z.output<typeof sendCommandInput>;

/** Parts of the service that SendCommand uses. */
export interface Sending {
  readonly simulation: Simulation;
  readonly cloud: Cloud;
  readonly documents: Documents;
  readonly managed: ManagedInstances;
  readonly delivery: Delivery;
  readonly account: string;
  readonly region: string;
}

/** Reads "10" or "20%" of a number of machines. */
const share = (text: string, all: number): number =>
  text.endsWith("%") ? Math.ceil((Number.parseInt(text, 10) / 100) * all) : Number(text);

function requireInstance({ cloud, account, region }: Sending, id: string, caller: Caller): void {
  const tags = Object.entries(cloud.instance(id)?.tags ?? {});
  const context = tags.flatMap(([key, value]) => [
    [`ssm:resourceTag/${key}`, value],
    [`aws:ResourceTag/${key}`, value],
  ]);
  caller.require("ssm:SendCommand", [`arn:aws:ec2:${region}:${account}:instance/${id}`], Object.fromEntries(context));
}

/** Requires the permission for the document and for every instance (user guide, "Setting up Run Command"). */
function requirePermission(sending: Sending, input: Input, caller: Caller): void {
  const { account, region } = sending;
  caller.require("ssm:SendCommand", [`arn:aws:ssm:${region}:${account}:document/${input.DocumentName}`]);
  for (const id of input.InstanceIds) requireInstance(sending, id, caller);
}

function requireOneWay({ InstanceIds: ids, Targets: targets }: Input): void {
  if (ids.length > 0 && targets.length > 0)
    throw new AwsError("ValidationException", "InstanceIds and Targets can't be used together.");
  if (ids.length + targets.length === 0) throw new AwsError("InvalidInstanceId", "No instances were given.");
}

function isAllowed(sending: Sending, id: string, caller: Caller): boolean {
  try {
    requireInstance(sending, id, caller);
    return true;
  } catch (error) {
    if (error instanceof AwsError) return false;
    throw error;
  }
}

/** Requires registered instances that are neither shutting down nor terminated (API reference, InvalidInstanceId). */
function requireInstances({ cloud, managed, account }: Sending, ids: readonly string[]): void {
  if (new Set(ids).size < ids.length) {
    throw new AwsError("DuplicateInstanceId", "You can't specify a managed node ID in more than one association.");
  }
  const gone = (id: string): boolean => ["shutting-down", "terminated", undefined].includes(cloud.instance(id)?.state);
  const bad = ids.filter((id) => !managed.get(id) || gone(id));
  if (bad.length === 0) return;
  throw new AwsError(
    "InvalidInstanceId",
    `Instances [[${bad.join(", ")}]] not in a valid state for account ${account}`,
  );
}

/** Finds the requested document; its hash must match the request's. */
function documentOf({ documents }: Sending, input: Input): DocumentRecord {
  const document = documents.find(input.DocumentName, input.DocumentVersion);
  const wrong =
    input.DocumentHash !== undefined && (input.DocumentHashType !== "Sha256" || input.DocumentHash !== document.sha256);
  if (wrong) throw new AwsError("InvalidDocument", "The document hash does not match the document's content.");
  return document;
}

function requireSmall(document: DocumentRecord, parameters: object): void {
  if (Buffer.byteLength(document.content) + Buffer.byteLength(JSON.stringify(parameters)) > LARGEST_BYTES) {
    throw new AwsError("InvalidParameters", "The document and its parameters are larger than 64 KB together.");
  }
}

/** Time after SendCommand during which reads do not find the command (0.5 to 2 s, assumed). */
const INVISIBLE_MS = [500, 2_000] as const;

/** Most invocations that may wait for their agents at once in an account (assumed; AWS publishes no figure). */
const MOST_PENDING = 1_000;

function verdictOn({ delivery }: Sending, instanceIds: readonly string[]): CommandRejection | null {
  if (instanceIds.length === 0) return "NoInstancesInTag";
  return delivery.pending() + instanceIds.length > MOST_PENDING ? "RateExceeded" : null;
}

function commandOf(sending: Sending, input: Input, document: DocumentRecord, instanceIds: readonly string[]): Command {
  const { simulation } = sending;
  const content = contentOf(document.content);
  const parameters = parametersOf(content, input.Parameters);
  requireSmall(document, parameters);
  const requestedAt = simulation.clock.now();
  const all = instanceIds.length;
  return {
    commandId: simulation.random.uuid(),
    documentName: document.name,
    documentVersion: document.version,
    comment: input.Comment,
    parameters,
    instanceIds,
    targets: input.Targets,
    verdict: verdictOn(sending, instanceIds),
    requestedAt,
    visibleAt: requestedAt + simulation.random.between(...INVISIBLE_MS),
    timeoutSeconds: input.TimeoutSeconds,
    executionSeconds: stepsOf(content, parameters).reduce((sum, step) => sum + step.timeoutSeconds, 0),
    maxConcurrency: Math.max(1, share(input.MaxConcurrency, all)),
    maxErrors: share(input.MaxErrors, all),
    cancelled: false,
  };
}

const recipient = ({ managed }: Sending, instanceId: string, refused: Recipient["refused"]): Recipient => ({
  instanceId,
  computerName: managed.get(instanceId)?.computerName ?? "",
  refused,
});

/** Resolves instance ids: one that cannot receive the command makes the whole command fail. */
function named(sending: Sending, ids: readonly string[], forWindows: boolean): Recipient[] {
  requireInstances(sending, ids);
  if (!forWindows) {
    const words = "The document doesn't support the platform type of the given managed node IDs.";
    throw new AwsError("UnsupportedPlatformType", words);
  }
  return ids.map((id) => recipient(sending, id, null));
}

/** Resolves targets: each machine that cannot receive the command gets its own reason. */
function targeted(sending: Sending, { Targets: targets }: Input, forWindows: boolean, caller: Caller): Recipient[] {
  const refusal = (id: string): Recipient["refused"] => {
    if (!isAllowed(sending, id, caller)) return "AccessDenied";
    return forWindows ? null : "InvalidPlatform";
  };
  return machinesFor(targets, sending.managed.pings(), sending.cloud).map((id) => recipient(sending, id, refusal(id)));
}

/**
 * SendCommand: checks as the service does, then delivers the command. There is no idempotency token: a command sent
 * twice runs twice.
 * @throws AwsError AccessDeniedException, InvalidInstanceId, InvalidDocument, InvalidParameters, …
 */
export function sendCommand(sending: Sending, input: Input, caller: Caller): Command {
  requireOneWay(input);
  requirePermission(sending, input, caller);
  const document = documentOf(sending, input);
  const forWindows = platformTypesOf(contentOf(document.content)).includes("Windows");
  const recipients =
    input.Targets.length > 0
      ? targeted(sending, input, forWindows, caller)
      : named(sending, input.InstanceIds, forWindows);
  const ids = recipients.map(({ instanceId }) => instanceId);
  const command = commandOf(sending, input, document, ids);
  sending.delivery.send(command, recipients);
  return command;
}
