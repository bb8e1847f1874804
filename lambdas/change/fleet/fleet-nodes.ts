import type { Configuration } from "../../configuration/configuration.ts";
import { isReportOverdue } from "../../health/agent-silence.ts";
import type { FleetCause, FleetNode } from "../../health/fleet-trouble.ts";
import type { NodeTraits } from "../../health/node-traits.ts";
import type { OwnReboot } from "../../machine/seen-machine.ts";
import { isInService } from "../../steps/cluster/breaker.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { nodeFacts } from "../../steps/health.ts";
import type { Agent } from "../../steps/machine/machine.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { actedForAmong } from "../node/acted-for.ts";

/** Facts of the whole fleet, each by instance id. */
interface FleetFacts {
  readonly machines: ReadonlyMap<string, Machine>;
  /** Those that Casement acts for. */
  readonly own: ReadonlyMap<string, Machine>;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly reboots: ReadonlyMap<string, OwnReboot>;
  readonly now: number;
}

/** Time since which the agent of a running machine is silent; null while it reports. */
function silentSince(machine: Machine | undefined, { agents, now }: FleetFacts): string | null {
  if (machine?.state !== "running") return null;
  const report = agents.get(machine.instanceId);
  return isReportOverdue(report, now) ? (report?.lastPingAt ?? machine.launchedAt) : null;
}

const agentCause = (machine: Machine | undefined): FleetCause =>
  machine?.hasProfile === false ? { kind: "no-profile" } : { kind: "agent-silent" };

function causeOf(node: Node, machine: Machine | undefined, isAgentSilent: boolean): FleetCause | null {
  const { ready } = nodeFacts(node);
  if (machine && machine.state !== "running") return { kind: "instance", state: machine.state };
  if (ready?.status === "True") return isAgentSilent ? agentCause(machine) : null;
  if (ready?.status === "False") return { kind: "kubelet-unready", reason: ready.reason, message: ready.message };
  return { kind: "kubelet-silent", isAgentSilent };
}

const known = (text: string | null | undefined): string | null => text || null;

const latest = (...times: readonly (string | undefined)[]): string | null =>
  times
    .flatMap((at) => at || [])
    .sort()
    .at(-1) ?? null;

/** Facts of a node by which it may differ from others. @param reboot the last one that Casement ordered */
export const traitsOf = (node: Node, machine: Machine | undefined, reboot: OwnReboot | undefined): NodeTraits => ({
  pool: known(poolOf(machine)),
  zone: known(machine?.zone),
  subnet: known(machine?.subnet),
  image: known(machine?.image),
  // The kubelet reports Windows' build with its update revision, "10.0.20348.4052".
  update: known(node.status?.nodeInfo?.kernelVersion),
  type: known(machine?.type),
  startedAt: latest(machine?.launchedAt, reboot?.at),
});

function fleetNodeOf(node: Node, facts: FleetFacts): FleetNode {
  const instanceId = instanceIdOf(node) ?? "";
  const machine = facts.machines.get(instanceId);
  const isOwn = facts.own.has(instanceId);
  const agentSilentSince = isOwn ? silentSince(machine, facts) : null;
  const { ready } = nodeFacts(node);
  return {
    node: node.metadata?.name ?? "",
    notReadySince: ready?.status === "True" ? null : (ready?.since ?? new Date(facts.now).toISOString()),
    agentSilentSince,
    cause: causeOf(node, machine, agentSilentSince !== null),
    isHeld: false,
    isOwn,
    ...traitsOf(node, machine, facts.reboots.get(instanceId)),
  };
}

/**
 * Reads the Windows nodes in service, with what is known of them without a command. Belongs into a step.
 * @throws Error of a service that does not answer: half of the facts would be another trouble
 */
export async function readFleet(steps: Steps, configuration: Configuration): Promise<FleetNode[]> {
  const all = await steps.nodes.all();
  const nodes = all.filter(isInService);
  if (nodes.length === 0) return [];
  const machines = await steps.instances.ofCluster(configuration.cluster.id);
  const [own, agents, reboots] = await Promise.all([
    actedForAmong(machines, { steps, configuration, nodes: all }),
    steps.machine.agents(),
    steps.machines.seen.ownReboots(),
  ]);
  const byId = new Map(machines.map((machine) => [machine.instanceId, machine]));
  const facts: FleetFacts = { machines: byId, own, agents, reboots, now: steps.now() };
  const isHeld = async (node: Node, { cause }: FleetNode): Promise<boolean> =>
    cause !== null && (await steps.leases.holder(instanceIdOf(node) ?? "")) !== undefined;
  return Promise.all(
    nodes.map(async (node) => {
      const one = fleetNodeOf(node, facts);
      return { ...one, isHeld: await isHeld(node, one) };
    }),
  );
}
