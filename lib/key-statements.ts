// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import type { Statement } from "./statement.ts";

/** The actions on a key that a service takes with the rights of the caller, when the caller reads and when it writes. */
interface KeyUse {
  /** The service's resource, as names of statements have it. */
  readonly of: string;
  readonly reads: readonly string[];
  readonly whenRead: readonly string[];
  readonly writes: readonly string[];
  readonly whenWritten: readonly string[];
}

const READ_AND_WRITE = ["kms:Decrypt", "kms:GenerateDataKey"];

/**
 * Uses of a key by service. DynamoDB: the rights that CDK's Table grants to readers and writers of a table with a
 * customer's key (aws-dynamodb, perms.ts). S3: User Guide, "Using server-side encryption with AWS KMS keys". Secrets
 * Manager: User Guide, "Permissions for the KMS key". SQS: Developer Guide, "Key management", producers. SNS: Developer
 * Guide, "Key management", publishers.
 */
const uses: Readonly<Record<string, KeyUse>> = {
  dynamodb: {
    of: "Table",
    reads: ["dynamodb:GetItem", "dynamodb:Query"],
    whenRead: ["kms:Decrypt", "kms:DescribeKey"],
    writes: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
    whenWritten: [
      "kms:Decrypt",
      "kms:DescribeKey",
      "kms:Encrypt",
      "kms:GenerateDataKey",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
    ],
  },
  s3: {
    of: "Bucket",
    reads: ["s3:GetObject", "s3:GetObjectVersion"],
    whenRead: ["kms:Decrypt"],
    writes: ["s3:PutObject"],
    whenWritten: ["kms:GenerateDataKey"],
  },
  secretsmanager: {
    of: "Secrets",
    reads: ["secretsmanager:GetSecretValue"],
    whenRead: ["kms:Decrypt"],
    writes: ["secretsmanager:CreateSecret", "secretsmanager:PutSecretValue", "secretsmanager:UpdateSecret"],
    whenWritten: READ_AND_WRITE,
  },
  sqs: { of: "Queue", reads: [], whenRead: [], writes: ["sqs:SendMessage"], whenWritten: READ_AND_WRITE },
  sns: { of: "Topic", reads: [], whenRead: [], writes: ["sns:Publish"], whenWritten: READ_AND_WRITE },
};

/** Lists the actions on the key that a role needs through a service, by what the role is allowed to do there. */
function neededFor(service: string, allowed: ReadonlySet<string>): readonly string[] {
  const has = (actions: readonly string[] = []): boolean => actions.some((action) => allowed.has(action));
  const { reads, whenRead = [], writes, whenWritten = [] } = uses[service] ?? {};
  return [...new Set([...(has(reads) ? whenRead : []), ...(has(writes) ? whenWritten : [])])].toSorted();
}

/** Builds the statement for actions on the key through some services. The topic has a key in any case. */
const useKey = (actions: readonly string[], services: readonly string[]): Statement => ({
  sid: `UseKeyOf${services.map((service) => uses[service]?.of).join("")}`,
  actions,
  resources: [services.includes("sns") ? "${topicKey}" : "${key}"],
  conditions: {
    StringEquals: { "kms:ViaService": services.map((service) => `${service}.\${region}.amazonaws.com`) },
  },
});

/**
 * Derives the rights to keys that the statements of a role need: for each service that the role reads or writes, what
 * this service does to the key with the role's rights, and only through this service. Actions that the same services
 * need share a statement, because a role's policies have a largest size.
 */
export function keyStatements(statements: readonly Statement[]): Statement[] {
  const allowed = new Set(statements.filter(({ effect }) => !effect).flatMap(({ actions }) => actions));
  const servicesOf = new Map<string, string[]>();
  for (const service of Object.keys(uses))
    for (const action of neededFor(service, allowed))
      servicesOf.set(action, [...(servicesOf.get(action) ?? []), service]);
  const groups = Map.groupBy(servicesOf, ([, services]) => services.join());
  return [...groups.values()].map((group) =>
    useKey(
      group.map(([action]) => action),
      group[0]?.[1] ?? [],
    ),
  );
}

/** Lets the doctor read the state and the policy of the key that the configuration names. */
export const seeKey: Statement = {
  sid: "SeeKey",
  actions: ["kms:DescribeKey", "kms:GetKeyPolicy"],
  resources: ["${key}"],
};
