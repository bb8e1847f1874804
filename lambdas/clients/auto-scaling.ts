import type { AwsCall } from "./aws-call.ts";

/** An instance as its Auto Scaling group sees it. */
export interface GroupMember {
  readonly group: string;
  /**
   * The instance's lifecycle state: "InService", "Standby", "Terminating:Wait" … (Auto Scaling user guide, "Amazon EC2
   * Auto Scaling instance lifecycle").
   */
  readonly lifecycle: string;
  /** Health check types of the group: "EC2", "EC2,ELB". */
  readonly checks: string;
  /** Processes that the group's owner has suspended: "HealthCheck", "ReplaceUnhealthy" … */
  readonly suspended: readonly string[];
}

const MEMBER = /<member>([\s\S]*?)<\/member>/g;

const fieldIn = (text: string, name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "";

const listIn = (text: string, name: string): string =>
  new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1] ?? "";

/**
 * Reads an instance's state in its Auto Scaling group (APIs DescribeAutoScalingInstances and DescribeAutoScalingGroups,
 * query protocol of 2011-01-01).
 * @returns null for an instance that belongs to no group
 */
export const autoScaling =
  (call: AwsCall) =>
  async (instanceId: string): Promise<GroupMember | null> => {
    const ask = async (parameters: Readonly<Record<string, string>>): Promise<string> => {
      const { text = "" } = await call({
        service: "autoscaling",
        method: "POST",
        path: "/",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ ...parameters, Version: "2011-01-01" }).toString(),
      });
      return String(text);
    };
    const instance = await ask({ Action: "DescribeAutoScalingInstances", "InstanceIds.member.1": instanceId });
    const group = fieldIn(instance, "AutoScalingGroupName");
    if (group === "") return null;
    const found = await ask({ Action: "DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1": group });
    const suspended = [...listIn(found, "SuspendedProcesses").matchAll(MEMBER)].map(([, member = ""]) =>
      fieldIn(member, "ProcessName"),
    );
    const lifecycle = fieldIn(instance, "LifecycleState");
    return { group, lifecycle, checks: fieldIn(found, "HealthCheckType"), suspended };
  };
