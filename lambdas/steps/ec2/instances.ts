import {
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeInstanceAttributeCommand,
  DescribeSecurityGroupsCommand,
  type EC2Client,
  type Filter,
  type Instance,
  paginateDescribeInstances,
  RebootInstancesCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { GetParameterCommand } from "@aws-sdk/client-ssm";
import { codedName, Refused, Retryable } from "../../errors.ts";
import { type Port, securityGroupFaults } from "../../machine/ports.ts";
import { clusterTag, TAG } from "../../tags.ts";
import { isBusy, isThrottled } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type Lease, leases } from "../ledger/leases.ts";
import { factOf } from "../together.ts";
import { instanceEnd } from "./instance-end.ts";
import { launchCodes } from "./launch-codes.ts";
import type { Image } from "./launch-request.ts";

/** Facts about an instance that later steps need. */
export interface Machine {
  readonly instanceId: string;
  readonly state: string;
  readonly privateIp: string;
  readonly privateDnsName: string;
  /** Set if the subnet assigns public addresses or the instance has an Elastic IP; empty otherwise. */
  readonly publicIp?: string;
  readonly publicDnsName?: string;
  readonly zone: string;
  /** ISO 8601. */
  readonly launchedAt: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Reason of its state in EC2's words ("Server.InternalError: Internal error on launch"); empty while it runs. */
  readonly because?: string;
  /** From EC2's platform field, which comes from the image. */
  readonly isWindows?: boolean;
  /** Has it an instance profile? Without one its SSM agent has no permissions. */
  readonly hasProfile?: boolean;
  /**
   * MAC address of the primary network interface in EC2's format, "02:aa:bb:cc:dd:01"; empty if EC2 does not report it.
   */
  readonly mac?: string;
  readonly subnet?: string;
  readonly image?: string;
  readonly type?: string;
}

/** Did Casement launch it, for this cluster? Only such an instance may be terminated. */
export const isOurs = ({ tags }: Pick<Machine, "tags">, cluster: string): boolean =>
  tags[TAG.launched] === "true" && tags[TAG.cluster] === cluster;

/** Is the instance terminated or shutting down? */
export const hasEnded = ({ state }: Pick<Machine, "state">): boolean =>
  state === "shutting-down" || state === "terminated";

/** Has the instance ended or been stopped, so that nothing on it answers? */
export const isDown = (machine: Pick<Machine, "state">): boolean =>
  hasEnded(machine) || machine.state === "stopping" || machine.state === "stopped";

/** Result of a launch: an instance, or no capacity in this place. Any other failure is thrown. */
export type LaunchResult = { readonly instanceId: string } | { readonly noRoom: string };

/** Adds the failure's code to EC2's refusal of a launch; a busy EC2 is asked again. */
function coded(error: Error): Error {
  const known = launchCodes[error.name];
  if (known && !isBusy(error)) error.name = codedName(error.name, known.code);
  return error;
}

const launchedAs = ({ SubnetId, ImageId, InstanceType }: Instance): Pick<Machine, "subnet" | "image" | "type"> => ({
  subnet: SubnetId ?? "",
  image: ImageId ?? "",
  type: InstanceType ?? "",
});

const machineOf = (instance: Instance): Machine => ({
  instanceId: instance.InstanceId ?? "",
  state: instance.State?.Name ?? "unknown",
  privateIp: instance.PrivateIpAddress ?? "",
  privateDnsName: instance.PrivateDnsName ?? "",
  publicIp: instance.PublicIpAddress ?? "",
  publicDnsName: instance.PublicDnsName ?? "",
  zone: instance.Placement?.AvailabilityZone ?? "",
  launchedAt: instance.LaunchTime?.toISOString() ?? "",
  tags: Object.fromEntries((instance.Tags ?? []).map((tag) => [tag.Key ?? "", tag.Value ?? ""])),
  because: instance.StateReason?.Message ?? "",
  isWindows: instance.Platform?.toLowerCase() === "windows",
  hasProfile: instance.IamInstanceProfile !== undefined,
  mac: instance.NetworkInterfaces?.find(({ Attachment }) => Attachment?.DeviceIndex === 0)?.MacAddress ?? "",
  ...launchedAs(instance),
});

/** The operation that launched an instance, by its tag; null if it has no such tag. */
export const launcherOf = (machine: Machine): string | null => machine.tags[TAG.operation] ?? null;

async function find(ec2: EC2Client, filters: Filter[]): Promise<Machine[]> {
  const found: Machine[] = [];
  for await (const page of paginateDescribeInstances({ client: ec2, pageSize: 200 }, { Filters: filters })) {
    const reservations = page.Reservations ?? [];
    found.push(...reservations.flatMap((reservation) => reservation.Instances ?? []).map(machineOf));
  }
  return found;
}

const stateFilter = (...states: readonly string[]): Filter => ({ Name: "instance-state-name", Values: [...states] });

/** Reads EC2 instances. */
const seen = ({ clients: { ec2 }, together }: StepContext) => ({
  /** Reads one instance; undefined if EC2 does not know it yet (it is eventually consistent), or no longer. */
  describe: (instanceId: string): Promise<Machine | undefined> =>
    factOf({ together }, { instanceId, what: "instances" }, async (ids) => {
      const machines = await find(ec2, [{ Name: "instance-id", Values: [...ids] }]);
      return new Map(machines.map((machine) => [machine.instanceId, machine]));
    }),

  /** Describes the end of each of these instances that no longer answers commands; the others are left out. */
  endsOf: async (instanceIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const machines = await find(ec2, [{ Name: "instance-id", Values: [...instanceIds] }]);
    return new Map(machines.filter(isDown).map((machine) => [machine.instanceId, instanceEnd(machine)]));
  },

  /** Finds the instances that were launched for a pool and still exist. */
  ofPool: (cluster: string, pool: string): Promise<Machine[]> =>
    find(ec2, [
      { Name: `tag:${TAG.cluster}`, Values: [cluster] },
      { Name: `tag:${TAG.pool}`, Values: [pool] },
      { Name: `tag:${TAG.launched}`, Values: ["true"] },
      stateFilter("pending", "running", "stopping", "stopped"),
    ]),

  /** Every instance of the cluster that still exists. */
  ofCluster: (clusterId: string): Promise<Machine[]> =>
    find(ec2, [
      { Name: `tag:${clusterTag(clusterId)}`, Values: ["owned", "shared"] },
      stateFilter("pending", "running", "stopping", "stopped", "shutting-down"),
    ]),

  /** Is termination protection on? */
  isProtected: async (instanceId: string): Promise<boolean> => {
    const { DisableApiTermination } = await ec2.send(
      new DescribeInstanceAttributeCommand({ InstanceId: instanceId, Attribute: "disableApiTermination" }),
    );
    return DisableApiTermination?.Value === true;
  },
});

/** Chooses images, and launches, describes, reboots, tags and terminates EC2 instances. */
export const instances = (context: StepContext) => {
  const { ec2, ec2Once, ssm } = context.clients;
  const lease = leases(context);

  return {
    ...seen(context),

    /** Reads the newest image from AWS's public parameter. */
    image: async (parameter: string): Promise<Image> => {
      const { Parameter } = await ssm.send(new GetParameterCommand({ Name: parameter }));
      if (!Parameter?.Value) throw new Refused(`the SSM parameter ${parameter} holds no image`);
      return { parameter, imageId: Parameter.Value };
    },

    /** Refuses to launch with a security group that is open to the outside or lacks a rule that the profile needs. */
    checkSecurityGroup: async (groupId: string, ports: readonly Port[]): Promise<void> => {
      const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: [groupId] }));
      const [group] = SecurityGroups ?? [];
      if (!group) throw new Refused(`the security group ${groupId} does not exist`);
      const faults = securityGroupFaults(group, ports);
      if (faults.length > 0) throw new Refused(`the security group ${groupId} has wrong rules: ${faults.join("; ")}`);
    },

    /** Launches one instance; the same request again returns the same instance. */
    launch: async (request: RunInstancesCommandInput): Promise<LaunchResult> => {
      try {
        const { Instances } = await ec2Once.send(new RunInstancesCommand(request));
        const instanceId = Instances?.[0]?.InstanceId;
        if (!instanceId) throw new Error("EC2 answered a launch without an instance");
        return { instanceId };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (launchCodes[error.name]?.group === "next place") return { noRoom: error.name };
        throw coded(error);
      }
    },

    /**
     * Asks EC2 to reboot an instance that Casement launched, right after checking its lease. EC2 only accepts the
     * order: it asks Windows to restart, and resets the machine if Windows does not restart within some minutes. A
     * second order may break the boot that the first one began, so callers ask once.
     * @returns "unknown" if EC2's answer was lost, so that EC2 may have accepted the order
     * @throws Refused if the operation no longer holds the lease; Retryable while EC2 does not know the instance; EC2's
     * refusal
     */
    reboot: async (held: Lease): Promise<"taken" | "unknown"> => {
      await lease.check(held);
      try {
        await ec2Once.send(new RebootInstancesCommand({ InstanceIds: [held.instanceId] }));
        return "taken";
      } catch (error) {
        if (isBusy(error) && !isThrottled(error)) return "unknown";
        if (error instanceof Error && error.name === "InvalidInstanceID.NotFound")
          throw new Retryable(`EC2 does not know ${held.instanceId}`, { cause: error });
        throw error;
      }
    },

    /**
     * Tags an instance of another owner as assisted, right after checking its lease. Repeating it has no effect.
     * @throws Refused if the operation no longer holds the lease
     */
    tagAssisted: async (held: Lease): Promise<void> => {
      await lease.check(held);
      const Tags = [{ Key: TAG.managed, Value: context.settings.cluster }];
      await ec2.send(new CreateTagsCommand({ Resources: [held.instanceId], Tags }));
    },

    /**
     * Removes this cluster's tag from an instance of another owner; another cluster's tag stays.
     * @throws Refused if the operation no longer holds the lease
     */
    untagAssisted: async (held: Lease): Promise<void> => {
      await lease.check(held);
      const Tags = [{ Key: TAG.managed, Value: context.settings.cluster }];
      await ec2.send(new DeleteTagsCommand({ Resources: [held.instanceId], Tags }));
    },

    /**
     * Terminates an instance that Casement launched, right after checking its lease. Repeating it has no effect.
     * @throws Refused if the operation no longer holds the lease; Retryable while EC2 does not know the instance
     */
    terminate: async (held: Lease): Promise<void> => {
      await lease.check(held);
      try {
        await ec2.send(new TerminateInstancesCommand({ InstanceIds: [held.instanceId] }));
      } catch (error) {
        if (error instanceof Error && error.name === "InvalidInstanceID.NotFound")
          throw new Retryable(`EC2 does not know ${held.instanceId}`, { cause: error });
        throw error;
      }
    },
  };
};
