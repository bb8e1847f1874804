import { createHash } from "node:crypto";
import {
  CreateTagsCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstanceStatusCommand,
  RebootInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
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
import type { Finding } from "../../messages/doctor/finding.ts";
import { TAG } from "../../tags.ts";
import { isBusy, wordsOf } from "../client-errors.ts";
import { instances, isOurs } from "../ec2/instances.ts";
import { launchRequest } from "../ec2/launch-request.ts";
import { documentOf } from "../machine/machine.ts";
import { type Check, denied, isDenied, type Patient } from "./check.ts";

/** Recognises EC2's answer when it would have done it (API Reference, "Common parameters", DryRun). */
const wouldHave = (error: unknown): boolean => error instanceof Error && error.name === "DryRunOperation";

/** A dry run ends in an error either way. */
async function dryRun(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (!wouldHave(error)) throw error;
  }
}

/** Did EC2 judge the request and refuse it? What is busy, broken or unreachable has judged nothing. */
const isRefusal = (error: unknown): boolean => {
  const { $metadata: { httpStatusCode = 0 } = {} } = Object(error) as { $metadata?: { httpStatusCode?: number } };
  return httpStatusCode >= 400 && httpStatusCode < 500 && !isBusy(error);
};

/** The very request of a launch, for the first place of each pool: tags, volumes, role and network are judged with it. */
async function launches(patient: Patient): Promise<Finding[]> {
  const { context, configuration } = patient;
  const tried = Object.entries(patient.images).map(async ([name, imageId]): Promise<Finding[]> => {
    const { instanceTypes = [], subnets = [] } = configuration.pools[name] ?? {};
    const place = { attempt: 0, subnet: subnets[0] ?? "", instanceType: instanceTypes[0] ?? "" };
    const request = launchRequest(
      configuration,
      name,
      { operation: "doctor", index: 0 },
      { parameter: "", imageId },
      place,
    );
    try {
      await dryRun(context.clients.ec2.send(new RunInstancesCommand({ ...request, DryRun: true })));
      return [];
    } catch (error) {
      if (isDenied(error)) return [denied(error, patient.by, "ec2:RunInstances")];
      if (!isRefusal(error)) throw error;
      return [{ kind: "launch-refused", pool: name, why: wordsOf(error) }];
    }
  });
  return (await Promise.all(tried)).flat();
}

/** One of those that we launched; without any there is nothing to try on. */
async function oneOfOurs({ context, configuration }: Patient): Promise<string | undefined> {
  const all = await instances(context).ofCluster(configuration.cluster.id);
  return all.find((instance) => isOurs(instance, configuration.cluster.name))?.instanceId;
}

async function terminates(patient: Patient): Promise<Finding[]> {
  const instanceId = await oneOfOurs(patient);
  if (!instanceId) return [];
  const { ec2 } = patient.context.clients;
  await dryRun(ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId], DryRun: true })));
  return [];
}

async function reboots(patient: Patient): Promise<Finding[]> {
  const instanceId = await oneOfOurs(patient);
  const asked = { InstanceIds: [instanceId ?? ""], DryRun: true };
  if (instanceId) await dryRun(patient.context.clients.ec2.send(new RebootInstancesCommand(asked)));
  return [];
}

async function seesStatus({ context }: Patient): Promise<Finding[]> {
  await context.clients.ec2.send(new DescribeInstanceStatusCommand({ MaxResults: 5 }));
  return [];
}

async function seesInstances(patient: Patient): Promise<Finding[]> {
  await oneOfOurs(patient);
  return [];
}

async function seesAssociations(patient: Patient): Promise<Finding[]> {
  const InstanceId = await oneOfOurs(patient);
  const { ssm } = patient.context.clients;
  if (InstanceId) await ssm.send(new DescribeInstanceAssociationsStatusCommand({ InstanceId, MaxResults: 1 }));
  return [];
}

async function seesProtection(patient: Patient): Promise<Finding[]> {
  const InstanceId = await oneOfOurs(patient);
  const asked = { InstanceId, Attribute: "disableApiTermination", DryRun: true } as const;
  if (InstanceId) await dryRun(patient.context.clients.ec2.send(new DescribeInstanceAttributeCommand(asked)));
  return [];
}

/** A name that no machine has: whether it may be read is decided before it is looked for. */
async function joinSecrets({ context }: Patient): Promise<Finding[]> {
  try {
    await context.clients.secrets.send(
      new DescribeSecretCommand({ SecretId: `casement/${context.settings.cluster}/join/doctor` }),
    );
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return [];
}

/** A name that no machine has: there is nothing to delete. */
async function forgetsSecrets({ context }: Patient): Promise<Finding[]> {
  const SecretId = `casement/${context.settings.cluster}/join/doctor`;
  try {
    await context.clients.secrets.send(new DeleteSecretCommand({ SecretId }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return [];
}

async function followsCommands({ context }: Patient): Promise<Finding[]> {
  await context.clients.ssm.send(new ListCommandsCommand({ MaxResults: 1 }));
  return [];
}

async function seesAgents({ context }: Patient): Promise<Finding[]> {
  for await (const _page of paginateDescribeInstanceInformation({ client: context.clients.ssm, pageSize: 5 }, {}))
    break;
  return [];
}

/**
 * Casement's document with a request that its pattern forbids: a role with the right gets that error, and no machine
 * receives anything.
 */
export async function sendsCommands(patient: Patient): Promise<Finding[]> {
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

/** A plan with a wrong checksum: a role with the right gets that error, and nothing is written. */
async function writesPlans({ context }: Patient): Promise<Finding[]> {
  const ContentMD5 = createHash("md5").update("another").digest("base64");
  const Key = "plans/doctor";
  try {
    await context.clients.s3.send(
      new PutObjectCommand({ Bucket: context.settings.bucket, Key, Body: "one", ContentMD5 }),
    );
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "BadDigest") throw error;
  }
  return [];
}

/** The tag of an assistance, on an instance of the cluster that Casement did not launch; without any there is nothing to try on. */
async function tagsOthers({ context, configuration }: Patient): Promise<Finding[]> {
  const all = await instances(context).ofCluster(configuration.cluster.id);
  const other = all.find(({ state, tags, isWindows }) => state === "running" && isWindows && !(TAG.launched in tags));
  if (!other) return [];
  const Tags = [{ Key: TAG.managed, Value: context.settings.cluster }];
  await dryRun(context.clients.ec2.send(new CreateTagsCommand({ Resources: [other.instanceId], Tags, DryRun: true })));
  return [];
}

/** An instance that is in no group: whether its group may be seen is decided before it is looked for. */
async function seesScalingGroups({ context }: Patient): Promise<Finding[]> {
  await context.clients.groupMember("i-00000000000000000");
  return [];
}

const right = (what: string, observe: Check["observe"]): Check => ({ area: "AWS", what, observe });

/**
 * Attempts of each function by its own role, since no other role can tell: a dry run where EC2 has one, else the cheapest
 * read, else a call that must be refused for another reason. CreateSecret has none of these: its statement is that of
 * DescribeSecret. PutEvents has none either; the tests of the stack check it.
 */
export const rightsOf = {
  "provision-node": [
    right("ec2:RunInstances", launches),
    right("ec2:TerminateInstances", terminates),
    right("ssm:SendCommand", sendsCommands),
    right("ssm:ListCommands", followsCommands),
    right("s3:PutObject", writesPlans),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("secretsmanager:DescribeSecret", joinSecrets),
  ],
  "remove-node": [right("ec2:TerminateInstances", terminates), right("ec2:DescribeInstanceAttribute", seesProtection)],
  "drain-node": [right("ssm:DescribeInstanceAssociationsStatus", seesAssociations)],
  "reboot-node": [
    right("ec2:RebootInstances", reboots),
    right("ec2:DescribeInstanceStatus", seesStatus),
    right("ssm:SendCommand", sendsCommands),
    right("ssm:ListCommands", followsCommands),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("ssm:DescribeInstanceAssociationsStatus", seesAssociations),
  ],
  "assist-node": [
    right("ec2:CreateTags", tagsOthers),
    right("ssm:ListCommands", followsCommands),
    right("ssm:DescribeInstanceInformation", seesAgents),
    right("autoscaling:DescribeAutoScalingInstances", seesScalingGroups),
  ],
  "update-authority": [
    right("ssm:SendCommand", sendsCommands),
    right("ssm:ListCommands", followsCommands),
    right("s3:PutObject", writesPlans),
    right("ssm:DescribeInstanceInformation", seesAgents),
  ],
  sweep: [right("ec2:DescribeInstances", seesInstances), right("secretsmanager:DeleteSecret", forgetsSecrets)],
} as const satisfies Readonly<Record<string, readonly Check[]>>;

/** Functions that also try the account of the cluster that they hold: one for each account. */
export const triesAccount: ReadonlySet<Tried> = new Set(["provision-node", "remove-node"]);

/** A function that tries its own rights. */
export type Tried = keyof typeof rightsOf;

/** Is this the name of one? */
export const isTried = (name: string): name is Tried => Object.hasOwn(rightsOf, name);
