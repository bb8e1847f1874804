import {
  CreateTagsCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstanceStatusCommand,
  GetConsoleScreenshotCommand,
  RebootInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import type { Finding } from "../../messages/doctor/finding.ts";
import { TAG } from "../../tags.ts";
import { isBusy, wordsOf } from "../client-errors.ts";
import { instances, isOurs } from "../ec2/instances.ts";
import { launchRequest } from "../ec2/launch-request.ts";
import { type DoctorFacts, denied, isDenied, right } from "./check.ts";

/** Is it EC2's answer that the dry run would have succeeded? (API Reference, "Common parameters", DryRun) */
const wouldHave = (error: unknown): boolean => error instanceof Error && error.name === "DryRunOperation";

/** Waits for a dry run, which always ends in an error. */
async function dryRun(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (!wouldHave(error)) throw error;
  }
}

/** Did EC2 evaluate the request and refuse it? A busy or unreachable EC2 has evaluated nothing. */
const isRefusal = (error: unknown): boolean => {
  const { $metadata: { httpStatusCode = 0 } = {} } = Object(error) as { $metadata?: { httpStatusCode?: number } };
  return httpStatusCode >= 400 && httpStatusCode < 500 && !isBusy(error);
};

/**
 * Tries each pool's launch request for its first subnet and type, so that tags, volumes, role and network are judged
 * too.
 */
async function launches(patient: DoctorFacts): Promise<Finding[]> {
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

/** Finds an instance that Casement launched, to try an action on; undefined if there is none. */
export async function oneOfOurs({ context, configuration }: DoctorFacts): Promise<string | undefined> {
  const all = await instances(context).ofCluster(configuration.cluster.id);
  return all.find((instance) => isOurs(instance, configuration.cluster.name))?.instanceId;
}

async function terminates(patient: DoctorFacts): Promise<Finding[]> {
  const instanceId = await oneOfOurs(patient);
  if (!instanceId) return [];
  const { ec2 } = patient.context.clients;
  await dryRun(ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId], DryRun: true })));
  return [];
}

async function reboots(patient: DoctorFacts): Promise<Finding[]> {
  const instanceId = await oneOfOurs(patient);
  const asked = { InstanceIds: [instanceId ?? ""], DryRun: true };
  if (instanceId) await dryRun(patient.context.clients.ec2.send(new RebootInstancesCommand(asked)));
  return [];
}

async function seesScreens(patient: DoctorFacts): Promise<Finding[]> {
  const InstanceId = await oneOfOurs(patient);
  const { ec2 } = patient.context.clients;
  if (InstanceId) await dryRun(ec2.send(new GetConsoleScreenshotCommand({ InstanceId, DryRun: true })));
  return [];
}

/** Checks that EC2's status checks can be read. */
export async function seesStatus({ context }: DoctorFacts): Promise<Finding[]> {
  await context.clients.ec2.send(new DescribeInstanceStatusCommand({ MaxResults: 5 }));
  return [];
}

async function seesProtection(patient: DoctorFacts): Promise<Finding[]> {
  const InstanceId = await oneOfOurs(patient);
  const asked = { InstanceId, Attribute: "disableApiTermination", DryRun: true } as const;
  if (InstanceId) await dryRun(patient.context.clients.ec2.send(new DescribeInstanceAttributeCommand(asked)));
  return [];
}

/**
 * Tries to tag an instance of the cluster that Casement did not launch, as an assistance does. Without such an instance
 * there is nothing to try.
 */
async function tagsOthers({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const all = await instances(context).ofCluster(configuration.cluster.id);
  const other = all.find(({ state, tags, isWindows }) => state === "running" && isWindows && !(TAG.launched in tags));
  if (!other) return [];
  const Tags = [{ Key: TAG.managed, Value: context.settings.cluster }];
  await dryRun(context.clients.ec2.send(new CreateTagsCommand({ Resources: [other.instanceId], Tags, DryRun: true })));
  return [];
}

async function seesInstances(patient: DoctorFacts): Promise<Finding[]> {
  await oneOfOurs(patient);
  return [];
}

/** Checks of rights in EC2: a dry run if the action has one, otherwise a read. */
export const ec2Rights = {
  launch: right("ec2:RunInstances", launches),
  terminate: right("ec2:TerminateInstances", terminates),
  reboot: right("ec2:RebootInstances", reboots),
  seeScreen: right("ec2:GetConsoleScreenshot", seesScreens),
  seeStatus: right("ec2:DescribeInstanceStatus", seesStatus),
  seeInstances: right("ec2:DescribeInstances", seesInstances),
  seeProtection: right("ec2:DescribeInstanceAttribute", seesProtection),
  tag: right("ec2:CreateTags", tagsOthers),
} as const;
