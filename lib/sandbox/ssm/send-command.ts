import { z } from "zod";
import { AwsError, type Caller } from "../core/aws-service.ts";
import type { Foundation } from "../core/foundation.ts";
import type { Cloud } from "../core/surroundings.ts";
import type { Delivery } from "./delivery.ts";
import { parametersOf } from "./document-parameters.ts";
import { contentOf, type Documents, LARGEST_BYTES, platformTypesOf, stepsOf } from "./documents.ts";
import type { ManagedInstances } from "./managed-instances.ts";
import type { Command, DocumentRecord } from "./model.ts";

/** What SendCommand takes; lengths and ranges are those of the API reference. */
export const sendCommandInput = z.object({
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
  Targets: z.array(z.unknown()).max(0, "the simulated service takes InstanceIds only").optional(),
});

type Input = z.output<typeof sendCommandInput>;

/** What SendCommand needs of its neighbours. */
export interface Sending {
  readonly foundation: Foundation;
  readonly cloud: Cloud;
  readonly documents: Documents;
  readonly managed: ManagedInstances;
  readonly delivery: Delivery;
  readonly account: string;
  readonly region: string;
}

/** "10" or "20%" of so many machines. */
const share = (text: string, all: number): number =>
  text.endsWith("%") ? Math.ceil((Number.parseInt(text, 10) / 100) * all) : Number(text);

/** Both the document and every instance must be allowed (user guide, "Setting up Run Command"). */
function requireLeave({ cloud, account, region }: Sending, input: Input, caller: Caller): void {
  const place = `${region}:${account}`;
  caller.require("ssm:SendCommand", [`arn:aws:ssm:${place}:document/${input.DocumentName}`]);
  for (const id of input.InstanceIds) {
    const tags = Object.entries(cloud.instance(id)?.tags ?? {});
    const context = tags.flatMap(([key, value]) => [
      [`ssm:resourceTag/${key}`, value],
      [`aws:ResourceTag/${key}`, value],
    ]);
    caller.require("ssm:SendCommand", [`arn:aws:ec2:${place}:instance/${id}`], Object.fromEntries(context));
  }
}

/** Registered, and neither shutting down nor terminated (API reference, InvalidInstanceId). */
function requireInstances({ cloud, managed, account }: Sending, ids: readonly string[]): void {
  if (new Set(ids).size < ids.length) {
    throw new AwsError("DuplicateInstanceId", "You can't specify a managed node ID in more than one association.");
  }
  if (ids.length === 0) throw new AwsError("InvalidInstanceId", "No instances were given.");
  const gone = (id: string): boolean => ["shutting-down", "terminated", undefined].includes(cloud.instance(id)?.state);
  const bad = ids.filter((id) => !managed.get(id) || gone(id));
  if (bad.length === 0) return;
  throw new AwsError(
    "InvalidInstanceId",
    `Instances [[${bad.join(", ")}]] not in a valid state for account ${account}`,
  );
}

/** The document that was meant: its hash must be the one that was given. */
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

/** Right after SendCommand reads do not know the command for a moment (0.5 to 2 s, assumed). */
const INVISIBLE_MS = [500, 2_000] as const;

function commandOf({ foundation }: Sending, input: Input, document: DocumentRecord): Command {
  const content = contentOf(document.content);
  const parameters = parametersOf(content, input.Parameters);
  requireSmall(document, parameters);
  if (!platformTypesOf(content).includes("Windows")) {
    throw new AwsError(
      "UnsupportedPlatformType",
      "The document doesn't support the platform type of the given managed node IDs.",
    );
  }
  const requestedAt = foundation.clock.now();
  const all = input.InstanceIds.length;
  return {
    commandId: foundation.random.uuid(),
    documentName: document.name,
    documentVersion: document.version,
    comment: input.Comment,
    parameters,
    instanceIds: input.InstanceIds,
    requestedAt,
    visibleAt: requestedAt + foundation.random.between(...INVISIBLE_MS),
    timeoutSeconds: input.TimeoutSeconds,
    executionSeconds: stepsOf(content).reduce((sum, step) => sum + step.timeoutSeconds, 0),
    maxConcurrency: Math.max(1, share(input.MaxConcurrency, all)),
    maxErrors: share(input.MaxErrors, all),
    cancelled: false,
  };
}

/**
 * SendCommand: checks as the service does, then hands the command over. It has no token against repetition: sent
 * twice, it runs twice.
 * @throws AwsError AccessDeniedException, InvalidInstanceId, InvalidDocument, InvalidParameters, …
 */
export function sendCommand(sending: Sending, input: Input, caller: Caller): Command {
  requireLeave(sending, input, caller);
  const document = documentOf(sending, input);
  requireInstances(sending, input.InstanceIds);
  const command = commandOf(sending, input, document);
  const names = input.InstanceIds.map((id) => [id, sending.managed.get(id)?.computerName ?? ""]);
  sending.delivery.send(command, Object.fromEntries(names));
  return command;
}
