import type { ClusterMachines } from "../../../lambdas/capabilities/reboot-watch/cluster-machines.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import type { Node } from "../../../lambdas/steps/cluster/nodes.ts";
import type { Machine } from "../../../lambdas/steps/ec2/instances.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

/** A channel that keeps what is posted: "its mark: its text". */
export function channel() {
  const posted: string[] = [];
  const post = async (_channel: string, { text }: Message, mark: string): Promise<string> =>
    `${posted.push(`${mark}: ${text}`)}.0`;
  return { posted, thread: { post } };
}

/** A machine of the pool web that runs. */
export const machineOf = (instanceId: string, more: Partial<Machine> = {}): Machine => ({
  ...{ instanceId, state: "running", privateIp: "10.0.0.20", privateDnsName: `host-${instanceId}`, zone: "us-west-2a" },
  ...{ launchedAt: "2026-11-21T08:00:00.000Z", tags: { [TAG.pool]: "web" } },
  ...more,
});

/** The cluster's Node for a machine. */
export const nodeFor = (
  name: string,
  instanceId: string,
  taints: readonly { readonly key: string; readonly effect: string }[] = [],
): Node => ({
  metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": "windows" } },
  spec: { providerID: `aws:///us-west-2a/${instanceId}`, taints: [...taints] },
});

/** A cluster of machines that Casement all changes. */
export const clusterOf = (machines: readonly Machine[], nodes: ClusterMachines["nodes"]): ClusterMachines => ({
  configuration: configurationWith(),
  nodes,
  machines,
  own: new Map(machines.map((machine) => [machine.instanceId, machine])),
});
