import { createHash } from "node:crypto";
import { type Reservation, RunInstances$, type RunInstancesRequest } from "@aws-sdk/client-ec2";
import { AwsError, type Caller } from "../../core/aws-service.ts";
import { requestTagContext } from "../request-tags.ts";
import { ec2Arn, roleArn } from "./account.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import { newId, newMac, privateDnsName } from "./addresses.ts";
import { capacityFor } from "./capacity.ts";
import { type LaunchPlan, launchPlan } from "./launch-plan.ts";
import type { Lifecycle, Transition } from "./lifecycle.ts";
import type { Ec2Records, InstanceRecord } from "./records.ts";
import { describedReservation } from "./view.ts";

/** Ends of an instance that is pending, by EC2's reason; a fault without a code means the first. */
const failures = {
  "Server.InternalError": "fail",
  "Server.InsufficientInstanceCapacity": "fail-by-capacity",
} as const satisfies Record<string, Transition>;

const reasons = Object.keys(failures) as (keyof typeof failures)[];

/** The fault that ends an instance while it is pending. */
export const launchFails = {
  kind: "launch-fails",
  sentence: "EC2 accepts the launch, but the instance goes from pending to terminated.",
  fields: {
    type: "instance type: m5.xlarge",
    subnet: "subnet id",
    code: `EC2's reason, by default Server.InternalError: ${reasons.join(", ")}`,
  },
  values: { code: reasons },
};

/**
 * The fault of a VPC without DNS hostnames: the private DNS names of its instances stay empty
 * (kubermatic/machine-controller#1590).
 */
export const noHostnames = {
  kind: "no-dns-hostnames",
  sentence: "The VPC has DNS hostnames switched off: a new instance gets no private DNS name.",
  fields: { vpc: "VPC id" },
};

/**
 * Checks the permissions of a launch: each resource that it touches needs its own (Service Authorization Reference,
 * RunInstances).
 */
function permitLaunch({ account }: Ec2Records, plan: LaunchPlan, caller: Caller): void {
  const arn = (resource: string): string => ec2Arn(account, resource);
  const ask = (resource: string, context: Record<string, string | readonly string[]> = {}): void =>
    caller.require("ec2:RunInstances", [resource], context);
  const vpc = { "ec2:Vpc": arn(`vpc/${account.vpc.id}`) };
  ask(arn("instance/*"), {
    ...requestTagContext(plan.instanceTags),
    "ec2:InstanceType": plan.type.name,
    "ec2:MetadataHttpTokens": plan.metadata.tokens,
    "ec2:MetadataHttpPutResponseHopLimit": String(plan.metadata.hopLimit),
    ...(plan.profileArn ? { "ec2:InstanceProfile": plan.profileArn } : {}),
  });
  for (const volume of plan.volumes)
    ask(arn("volume/*"), {
      ...requestTagContext(plan.volumeTags),
      "ec2:Encrypted": String(volume.encrypted),
      "ec2:VolumeType": volume.type,
      "ec2:VolumeSize": String(volume.size),
    });
  ask(arn("network-interface/*"), {
    ...vpc,
    ...requestTagContext(plan.interfaceTags),
    "ec2:Subnet": arn(`subnet/${plan.subnet.id}`),
  });
  ask(arn(`subnet/${plan.subnet.id}`), { ...vpc, "ec2:SubnetID": plan.subnet.id });
  for (const group of plan.groups) ask(arn(`security-group/${group}`), { ...vpc, "ec2:SecurityGroupID": group });
  ask(`arn:aws:ec2:${account.region}::image/${plan.image.imageId}`, {
    "ec2:Owner": plan.image.ownerAlias ?? plan.image.ownerId,
  });
  permitTags(arn, plan, caller);
  if (plan.profileArn)
    caller.require("iam:PassRole", [roleArn(account)], { "iam:PassedToService": "ec2.amazonaws.com" });
}

function permitTags(arn: (resource: string) => string, plan: LaunchPlan, caller: Caller): void {
  const tagged = {
    "instance/*": plan.instanceTags,
    "volume/*": plan.volumeTags,
    "network-interface/*": plan.interfaceTags,
  };
  for (const [resource, tags] of Object.entries(tagged)) {
    if (Object.keys(tags).length === 0) continue;
    caller.require("ec2:CreateTags", [arn(resource)], {
      ...requestTagContext(tags),
      "ec2:CreateAction": "RunInstances",
    });
  }
}

/**
 * Milliseconds, least and most, for which a new instance may be invisible (assumed; User Guide, "Eventual consistency"
 * names no figure).
 */
const HIDDEN = [2_000, 6_000] as const;

/** Does the VPC give its instances DNS hostnames? */
export const hasHostnames = ({ account, simulation }: Ec2Records): boolean =>
  !simulation.faults.applies(noHostnames.kind, { vpc: account.vpc.id });

function createInstance(
  records: Ec2Records,
  plan: LaunchPlan,
  address: string,
  reservationId: string,
  index: number,
): InstanceRecord {
  const { clock, random } = records.simulation;
  const now = clock.now();
  const record: InstanceRecord = {
    instanceId: newId(random, "i"),
    reservationId,
    launchIndex: index,
    clientToken: plan.clientToken,
    imageId: plan.image.imageId,
    platform: plan.image.platform,
    build: plan.image.build,
    rootDevice: plan.image.rootDevice,
    instanceType: plan.type.name,
    subnetId: plan.subnet.id,
    zone: plan.subnet.zone,
    privateIp: address,
    privateDnsName: hasHostnames(records) ? privateDnsName(address, records.account.region) : "",
    isPublic: plan.isPublic,
    mac: newMac(random),
    interfaceId: newId(random, "eni"),
    attachmentId: newId(random, "eni-attach"),
    interfaceTags: plan.interfaceTags,
    groups: plan.groups,
    profileArn: plan.profileArn,
    userData: plan.userData,
    shutdownBehavior: plan.shutdownBehavior,
    launchedAt: now,
    state: "pending",
    next: null,
    stateReason: null,
    transitionReason: "",
    visibleAt: now + random.between(...HIDDEN),
    runningSince: null,
    forgetAt: null,
    metadata: plan.metadata,
    protected: plan.protected,
    tags: plan.instanceTags,
  };
  for (const volume of plan.volumes) createVolume(records, plan, volume, record);
  return record;
}

function createVolume(
  records: Ec2Records,
  plan: LaunchPlan,
  volume: LaunchPlan["volumes"][number],
  instance: InstanceRecord,
): void {
  const volumeId = newId(records.simulation.random, "vol");
  records.volumes.set(volumeId, {
    ...volume,
    volumeId,
    instanceId: instance.instanceId,
    zone: instance.zone,
    createdAt: instance.launchedAt,
    attached: true,
    tags: plan.volumeTags,
  });
}

/** Fingerprints the parameters in the schema's order, whatever their order on the wire. */
const fingerprintOf = (input: RunInstancesRequest): string =>
  createHash("sha256")
    .update(JSON.stringify({ ...input, DryRun: undefined }))
    .digest("hex");

/**
 * API Reference, "Ensuring idempotency": the same token with the same parameters returns the earlier launch, even after
 * its end.
 */
function launchedBefore(records: Ec2Records, input: RunInstancesRequest): Reservation | undefined {
  const known = input.ClientToken === undefined ? undefined : records.tokens.get(input.ClientToken);
  if (!known) return undefined;
  if (known.fingerprint !== fingerprintOf(input))
    throw new AwsError(
      "IdempotentParameterMismatch",
      "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).",
    );
  const instances = known.instanceIds.flatMap((id) => records.instances.get(id) ?? []);
  return describedReservation(records, known.reservationId, instances);
}

/**
 * May the caller have EC2 use the keys of its volumes (EBS user guide, "Requirements for EBS encryption")? Without that
 * right a launch is accepted, and its instance terminates. Amazon's own key needs no permission.
 */
function mayEncrypt({ account }: Ec2Records, plan: LaunchPlan, caller: Caller): boolean {
  const via = { "kms:ViaService": `ec2.${account.region}.amazonaws.com` };
  const keys = plan.volumes.flatMap(({ encrypted, keyId }) => (encrypted ? (keyId ?? account.volumeKey ?? []) : []));
  try {
    for (const action of ["Decrypt", "DescribeKey", "GenerateDataKeyWithoutPlaintext", "ReEncryptFrom", "ReEncryptTo"])
      caller.require(`kms:${action}`, keys, via);
    caller.require("kms:CreateGrant", keys, { ...via, "kms:GrantIsForAWSResource": "true" });
    return true;
  } catch (error) {
    if (error instanceof AwsError) return false;
    throw error;
  }
}

function journeyOf(records: Ec2Records, plan: LaunchPlan, caller: Caller): Transition {
  const facts = { type: plan.type.name, subnet: plan.subnet.id };
  const reason = reasons.find((code) => records.simulation.faults.applies(launchFails.kind, { ...facts, code }));
  if (reason) return failures[reason];
  return mayEncrypt(records, plan, caller) ? "start" : "fail-by-key";
}

function launch(records: Ec2Records, lifecycle: Lifecycle, input: RunInstancesRequest, caller: Caller): Reservation {
  const plan = launchPlan(records, input);
  const before = launchedBefore(records, input);
  if (before) return before;
  const addresses = capacityFor(records, plan);
  const reservationId = newId(records.simulation.random, "r");
  const transition = journeyOf(records, plan, caller);
  const instances = records.simulation.store.together(() => {
    const created = addresses.map((address, index) => createInstance(records, plan, address, reservationId, index));
    const instanceIds = created.map(({ instanceId }) => instanceId);
    if (plan.clientToken)
      records.tokens.set(plan.clientToken, { fingerprint: fingerprintOf(input), reservationId, instanceIds });
    for (const instance of created) lifecycle.plan(instance, transition);
    return created;
  });
  for (const instance of instances) lifecycle.depart(instance);
  return describedReservation(records, reservationId, instances);
}

/** RunInstances. */
export const launchActions = (records: Ec2Records, lifecycle: Lifecycle): Ec2Action[] => [
  ec2Action<RunInstancesRequest, Reservation>(RunInstances$, {
    permit: (input, caller) => permitLaunch(records, launchPlan(records, input), caller),
    perform: (input, caller) => launch(records, lifecycle, input, caller),
  }),
];
