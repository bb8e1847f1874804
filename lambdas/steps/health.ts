import {
  DescribeInstanceStatusCommand,
  type InstanceStatus,
  paginateDescribeInstanceStatus,
} from "@aws-sdk/client-ec2";
import { type InstanceInformation, paginateDescribeInstanceInformation, type SSMClient } from "@aws-sdk/client-ssm";
import type { V1Pod } from "@kubernetes/client-node";
import { CORDONED_BY, QUARANTINED } from "../cluster/node-keys.ts";
import type { AgentFacts, InstanceFacts, NetworkedPod, NodeFacts, ScheduledEvent } from "../health/facts.ts";
import { csrs } from "./cluster/csrs.ts";
import { bootIdOf, isReady } from "./cluster/node-facts.ts";
import { type Node, nodes } from "./cluster/nodes.ts";
import type { StepContext } from "./context.ts";
import { podName } from "./drain/pods.ts";
import type { Machine } from "./ec2/instances.ts";
import { factOf } from "./together.ts";

/** A MAC address in the format of Windows. */
const windowsMac = (mac: string): string | null => (mac === "" ? null : mac.toUpperCase().replaceAll(":", "-"));

const iso = (time: Date | string | undefined): string => new Date(time ?? 0).toISOString();

function readyOf(node: Node): NodeFacts["ready"] {
  const found = node.status?.conditions?.find(({ type }) => type === "Ready");
  if (!found) return null;
  const { status, reason = "", message = "", lastTransitionTime, lastHeartbeatTime } = found;
  return { status, reason, message, since: iso(lastTransitionTime), heartbeatAt: iso(lastHeartbeatTime) };
}

/** Lists the pods that run in the pods' network; those of the host's own network have no endpoint there. */
const networkedPods = (pods: readonly V1Pod[]): NetworkedPod[] =>
  pods.flatMap(({ metadata, spec, status }) => {
    const starts = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []);
    const [first] = starts.map((start) => iso(start)).toSorted();
    const isNetworked = status?.phase === "Running" && spec?.hostNetwork !== true && !metadata?.deletionTimestamp;
    const { podIP: ip } = status ?? {};
    return isNetworked && ip && first ? [{ name: podName({ metadata }), ip, since: first }] : [];
  });

/** The facts that Kubernetes shows about a Node; for a machine without a Node, `node` is undefined. */
export const nodeFacts = (node: Node | undefined): Omit<NodeFacts, "requests"> => ({
  registered: node !== undefined,
  bootId: bootIdOf(node ?? null),
  ready: node ? readyOf(node) : null,
  taints: (node?.spec?.taints ?? []).map(({ key, value = "", effect }) => ({ key, value, effect })),
  cordoned: node?.spec?.unschedulable === true,
  cordonedBy: node?.metadata?.annotations?.[CORDONED_BY] ?? null,
  ...(node?.metadata?.labels?.[QUARANTINED] === undefined ? {} : { quarantined: true }),
});

/**
 * Lists the events that are still to come: EC2 shows a past one for a week, and its description begins with "[Completed]"
 * or "[Canceled]" (API reference, InstanceStatusEvent).
 */
const eventsOf = (status: InstanceStatus | undefined): ScheduledEvent[] =>
  (status?.Events ?? [])
    .filter(({ Description = "" }) => !/^\[(?:Completed|Canceled)\]/.test(Description))
    .map(({ Code = "", NotBefore }) => ({ code: Code, notBefore: NotBefore?.toISOString() ?? null }));

/** Codes of the events that EC2 schedules (API reference, InstanceStatusEvent: Code). */
const EVENT_CODES = ["instance-reboot", "system-reboot", "system-maintenance", "instance-retirement", "instance-stop"];

/** Reads Systems Manager's records of instances, by instance id; one that never registered is missing. */
async function agentsOf(client: SSMClient, ids: readonly string[]): Promise<ReadonlyMap<string, InstanceInformation>> {
  const found = new Map<string, InstanceInformation>();
  const request = { Filters: [{ Key: "InstanceIds", Values: [...ids] }] };
  for await (const { InstanceInformationList = [] } of paginateDescribeInstanceInformation({ client }, request))
    for (const one of InstanceInformationList) found.set(one.InstanceId ?? "", one);
  return found;
}

/** Reads the facts of one node for the checks of lambdas/health/checks.ts, each from its own source. */
export const health = (context: StepContext) => {
  const { ec2, ssm } = context.clients;
  const podsOf = async (name: string): Promise<NetworkedPod[]> => networkedPods(await nodes(context).podsOn(name));
  return {
    /** EC2's facts about an instance, with its status checks. */
    instance: async (machine: Machine): Promise<InstanceFacts> => {
      const { InstanceStatuses } = await ec2.send(
        new DescribeInstanceStatusCommand({ InstanceIds: [machine.instanceId], IncludeAllInstances: true }),
      );
      const [found] = InstanceStatuses ?? [];
      const events = eventsOf(found);
      return {
        ...(events.length > 0 ? { events } : {}),
        instanceId: machine.instanceId,
        state: machine.state,
        because: machine.because ?? "",
        system: found?.SystemStatus?.Status ?? "insufficient-data",
        instance: found?.InstanceStatus?.Status ?? "insufficient-data",
        // EC2 makes this check only on Nitro instances (user guide, "Attached EBS status checks").
        volumes: found?.AttachedEbsStatus?.Status ?? "not-applicable",
        ...(machine.hasProfile === undefined ? {} : { hasProfile: machine.hasProfile }),
        mac: windowsMac(machine.mac ?? ""),
      };
    },

    /** Lists the events that EC2 has scheduled in the account's region and that are still to come, by instance id. */
    scheduledEvents: async (): Promise<ReadonlyMap<string, readonly ScheduledEvent[]>> => {
      const found = new Map<string, readonly ScheduledEvent[]>();
      // Without this, EC2 lists only running instances; it schedules events for stopped ones, too.
      const request = { IncludeAllInstances: true, Filters: [{ Name: "event.code", Values: EVENT_CODES }] };
      for await (const { InstanceStatuses = [] } of paginateDescribeInstanceStatus({ client: ec2 }, request))
        for (const status of InstanceStatuses) found.set(status.InstanceId ?? "", eventsOf(status));
      return found;
    },

    /** Systems Manager's facts about an instance's agent. */
    agent: async (instanceId: string): Promise<AgentFacts> => {
      const found = await factOf(context, { instanceId, what: "agents" }, (ids) => agentsOf(ssm, ids));
      return {
        registered: found !== undefined,
        online: found?.PingStatus === "Online",
        lastPingAt: found?.LastPingDateTime?.toISOString() ?? null,
        failure: null,
        isDeaf: false,
      };
    },

    /**
     * The cluster's facts about a node, with the pending certificate requests in its name and its pods.
     * @param node undefined for a machine without a Node
     */
    node: async (name: string, node: Node | undefined): Promise<NodeFacts> => {
      const [requests, pods] = await Promise.all([
        csrs(context).waitingOf(name, !node || !isReady(node)),
        node ? podsOf(name) : [],
      ]);
      return { ...nodeFacts(node), requests, pods };
    },

    /** Lists the pods that run on a node in the pods' network. */
    podsOf,
  };
};
