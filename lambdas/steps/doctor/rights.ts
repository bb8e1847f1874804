import { createHash } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { DeleteSecretCommand, DescribeSecretCommand, ResourceNotFoundException } from "@aws-sdk/client-secrets-manager";
import {
  DescribeInstanceAssociationsStatusCommand,
  InvalidInstanceId,
  InvalidParameters,
  ListCommandsCommand,
  paginateDescribeInstanceInformation,
  SendCommandCommand,
} from "@aws-sdk/client-ssm";
import { registriesSecret } from "../../cluster/registries-secret.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { ifShown } from "../client-errors.ts";
import { executions } from "../executions.ts";
import { ledger } from "../ledger/ledger.ts";
import { documentOf } from "../machine/machine.ts";
import { type DoctorCheck, type DoctorFacts, right } from "./check.ts";
import { ec2Rights, oneOfOurs } from "./ec2-rights.ts";

/** Reads the associations of a machine: IAM decides before Systems Manager looks whether its agent has registered. */
async function seesAssociations(patient: DoctorFacts): Promise<Finding[]> {
  const InstanceId = await oneOfOurs(patient);
  const { ssm } = patient.context.clients;
  try {
    if (InstanceId) await ssm.send(new DescribeInstanceAssociationsStatusCommand({ InstanceId, MaxResults: 1 }));
  } catch (error) {
    if (!(error instanceof InvalidInstanceId)) throw error;
  }
  return [];
}

/** Reads a secret of a machine that does not exist: IAM decides before Secrets Manager looks for it. */
async function joinSecrets({ context }: DoctorFacts): Promise<Finding[]> {
  try {
    await context.clients.secrets.send(
      new DescribeSecretCommand({ SecretId: `casement/${context.settings.cluster}/join/doctor` }),
    );
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return [];
}

/** Reads what is known of the registries' credentials without their values. */
async function seesRegistries({ context }: DoctorFacts): Promise<Finding[]> {
  const { clients, settings } = context;
  await clients.secrets.send(new DescribeSecretCommand({ SecretId: registriesSecret(settings.cluster) }));
  return [];
}

/** Deletes a secret of a machine that does not exist, so nothing is lost. */
async function forgetsSecrets({ context }: DoctorFacts): Promise<Finding[]> {
  const SecretId = `casement/${context.settings.cluster}/join/doctor`;
  try {
    await context.clients.secrets.send(new DeleteSecretCommand({ SecretId }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return [];
}

async function followsCommands({ context }: DoctorFacts): Promise<Finding[]> {
  await context.clients.ssm.send(new ListCommandsCommand({ MaxResults: 1 }));
  return [];
}

async function seesAgents({ context }: DoctorFacts): Promise<Finding[]> {
  for await (const _page of paginateDescribeInstanceInformation({ client: context.clients.ssm, pageSize: 5 }, {}))
    break;
  return [];
}

/**
 * Sends Casement's document with a request that its pattern forbids: a role with the right gets that error, and no
 * machine receives anything.
 */
export async function sendsCommands(patient: DoctorFacts): Promise<Finding[]> {
  const instanceId = await oneOfOurs(patient);
  const { clients, settings } = patient.context;
  if (!instanceId) return [];
  const Parameters = { Request: ["not base64!"] };
  try {
    await clients.ssm.send(
      new SendCommandCommand({ ...documentOf(settings, "observe"), InstanceIds: [instanceId], Parameters }),
    );
  } catch (error) {
    if (!(error instanceof InvalidParameters) && !(error instanceof InvalidInstanceId)) throw error;
  }
  return [];
}

/** Writes an object with a wrong checksum: a role with the right gets that error, and S3 stores nothing. */
const writesTo =
  (folder: "plans" | "inputs" | "screenshots") =>
  async ({ context }: DoctorFacts): Promise<Finding[]> => {
    const ContentMD5 = createHash("md5").update("another").digest("base64");
    const asked = { Bucket: context.settings.bucket, Key: `${folder}/doctor`, Body: "one", ContentMD5 };
    try {
      await context.clients.s3.send(new PutObjectCommand(asked));
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "BadDigest") throw error;
    }
    return [];
  };

/** Asks for an instance that is in no group: IAM decides before Auto Scaling looks for it. */
async function seesScalingGroups({ context }: DoctorFacts): Promise<Finding[]> {
  await context.clients.groupMember("i-00000000000000000");
  return [];
}

/**
 * Finds operations whose execution Lambda does not show to the sweep, as of a function that a release took away: the sweep can
 * neither end them nor give back what they hold.
 */
const shownExecutions: DoctorCheck = {
  area: "AWS",
  what: "the executions of operations",
  observe: async ({ context }) => {
    const asked = (await ledger(context).unfinished()).map(async ({ id, executionArn }) => {
      const status = executionArn === null ? "none" : await ifShown(executions(context).status(executionArn), "hidden");
      return status === "hidden" ? [id] : [];
    });
    const operations = (await Promise.all(asked)).flat();
    return operations.length === 0 ? [] : [{ kind: "executions-hidden", operations }];
  },
};

/** Checks of the functions that give machines their inputs. */
const givesInputs = [
  right("ssm:SendCommand", sendsCommands),
  right("ssm:ListCommands", followsCommands),
  right("s3:PutObject", writesTo("plans")),
  right("s3:PutObject", writesTo("inputs")),
  right("ssm:DescribeInstanceInformation", seesAgents),
];

/**
 * Checks of each function's own role; no other role can test it. Each is a dry run if EC2 has one, else the cheapest
 * read, else a call that must be refused for another reason. CreateSecret allows none of these, but shares its
 * statement with DescribeSecret. PutEvents allows none either; the tests of the stack check it.
 */
export const rightsOf = {
  "provision-node": [
    ec2Rights.launch,
    ec2Rights.terminate,
    right("ssm:SendCommand", sendsCommands),
    right("ssm:ListCommands", followsCommands),
    right("s3:PutObject", writesTo("plans")),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("secretsmanager:DescribeSecret", joinSecrets),
  ],
  "remove-node": [ec2Rights.terminate, ec2Rights.seeProtection],
  "drain-node": [right("ssm:DescribeInstanceAssociationsStatus", seesAssociations)],
  "reboot-node": [
    ec2Rights.reboot,
    ec2Rights.seeScreen,
    right("s3:PutObject", writesTo("screenshots")),
    ec2Rights.seeStatus,
    right("ssm:SendCommand", sendsCommands),
    right("ssm:ListCommands", followsCommands),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("ssm:DescribeInstanceAssociationsStatus", seesAssociations),
  ],
  "assist-node": [
    ec2Rights.tag,
    right("ssm:ListCommands", followsCommands),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("autoscaling:DescribeAutoScalingInstances", seesScalingGroups),
  ],
  "update-authority": givesInputs,
  reconcile: [...givesInputs, right("secretsmanager:DescribeSecret", seesRegistries)],
  "restart-node": [
    ec2Rights.seeStatus,
    right("ssm:SendCommand", sendsCommands),
    right("ssm:ListCommands", followsCommands),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("ssm:DescribeInstanceAssociationsStatus", seesAssociations),
  ],
  sweep: [ec2Rights.seeInstances, right("secretsmanager:DeleteSecret", forgetsSecrets), shownExecutions],
} as const satisfies Readonly<Record<string, readonly DoctorCheck[]>>;

/** Functions that also check their account in the cluster: one function for each account. */
export const triesAccount: ReadonlySet<RightsHolder> = new Set(["provision-node", "remove-node"]);

/** A function that checks its own rights. */
export type RightsHolder = keyof typeof rightsOf;

/** Is it the name of a function that checks its own rights? */
export const isTried = (name: string): name is RightsHolder => Object.hasOwn(rightsOf, name);
