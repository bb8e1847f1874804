import { AwsError } from "../../core/aws-service.ts";
import { freeAddresses, isUsable } from "./addresses.ts";
import { instanceTypes } from "./instance-types.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { type Ec2Records, takenAddresses } from "./records.ts";

/** EC2's errors for shortages (API Reference, "Error codes"); a fault without a code means the first. */
const shortages: Readonly<Record<string, (plan: LaunchPlan) => string>> = {
  InsufficientInstanceCapacity: ({ type, subnet }) =>
    `We currently do not have sufficient ${type.name} capacity in the Availability Zone you requested (${subnet.zone}). Our system will be working on provisioning additional capacity.`,
  VcpuLimitExceeded: () =>
    "You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.",
  InsufficientFreeAddressesInSubnet: ({ subnet }) =>
    `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
  Unsupported: ({ type, subnet }) =>
    `Your requested instance type (${type.name}) is not supported in your requested Availability Zone (${subnet.zone}).`,
  MaxSpotInstanceCountExceeded: () => "Max spot instance count exceeded",
  UnfulfillableCapacity: () => "Unable to fulfill capacity due to your request configuration.",
  MaxFleetCountExceeded: () => "You've reached the limit on the number of fleets.",
  InsufficientVolumeCapacity: ({ subnet }) =>
    `There is not enough capacity to fulfill your EBS volume provision request in ${subnet.zone}.`,
  VolumeLimitExceeded: () => "You have exceeded your maximum gp3 storage limit in this Region.",
  MaxIOPSLimitExceeded: () => "You have exceeded your maximum IOPS limit for this Region.",
  PendingVerification: () =>
    "Your request for accessing resources in this region is being validated, and you will not be able to launch additional resources in this region until the validation is complete.",
  Blocked: () => "This account is currently blocked and not recognized as a valid account.",
  OptInRequired: () => "You are not subscribed to this service.",
  ReservationCapacityExceeded: () =>
    "The requested reservation does not have sufficient compatible and available capacity for this request.",
};

/** EC2 returns capacity errors as server errors, the limits of an account as client errors. */
const serverSide = new Set(["InsufficientInstanceCapacity", "InsufficientVolumeCapacity", "UnfulfillableCapacity"]);

const shortage = (code: string, plan: LaunchPlan): AwsError =>
  new AwsError(code, shortages[code]?.(plan) ?? code, serverSide.has(code) ? 500 : 400);

/** Fault kind: EC2 has no capacity. */
export const noCapacity = {
  kind: "no-capacity",
  sentence: "EC2 cannot launch: there is no capacity, or a limit is reached.",
  fields: {
    type: "instance type: m5.xlarge",
    subnet: "subnet id",
    zone: "us-west-2a",
    code: `which error, by default InsufficientInstanceCapacity: ${Object.keys(shortages).join(", ")}`,
  },
  values: { code: Object.keys(shortages) },
};

function injectedShortage(records: Ec2Records, plan: LaunchPlan): string | undefined {
  const facts = { type: plan.type.name, subnet: plan.subnet.id, zone: plan.subnet.zone };
  return Object.keys(shortages).find((code) => records.simulation.faults.applies(noCapacity.kind, { ...facts, code }));
}

/** vCPUs of "Running On-Demand Standard instances" (quota L-1216C47A); a mature account's figure is assumed. */
export const VCPU_QUOTA = 1_024;

const usedVcpus = (records: Ec2Records): number =>
  records.instances
    .values()
    .filter((instance) => ["pending", "running"].includes(instance.state))
    .reduce((sum, instance) => sum + (instanceTypes.get(instance.instanceType)?.vcpus ?? 0), 0);

function addressesFor(records: Ec2Records, plan: LaunchPlan): string[] {
  const free = freeAddresses(plan.subnet.cidr, takenAddresses(records));
  if (!plan.privateIp) return free;
  if (!isUsable(plan.subnet.cidr, plan.privateIp))
    throw new AwsError(
      "InvalidParameterValue",
      `Address ${plan.privateIp} does not fall within the subnet's address range`,
    );
  if (!free.includes(plan.privateIp))
    throw new AwsError("InvalidIPAddress.InUse", `Address ${plan.privateIp} is in use.`);
  return [plan.privateIp];
}

/**
 * Checks the capacity for a launch and picks the instances' addresses.
 * @returns one address for each instance that can be launched now, between the plan's `least` and `most`
 * @throws AwsError with a capacity code when not even `least` fit
 */
export function capacityFor(records: Ec2Records, plan: LaunchPlan): string[] {
  const injected = injectedShortage(records, plan);
  if (injected) throw shortage(injected, plan);
  const vcpus = Math.floor((VCPU_QUOTA - usedVcpus(records)) / plan.type.vcpus);
  if (vcpus < plan.least) throw shortage("VcpuLimitExceeded", plan);
  const free = addressesFor(records, plan);
  if (free.length < plan.least) throw shortage("InsufficientFreeAddressesInSubnet", plan);
  const count = Math.min(plan.most, vcpus, free.length);
  const start = records.simulation.random.between(0, free.length - 1);
  return Array.from({ length: count }, (_, at) => free[(start + at) % free.length] ?? "");
}
