import { findNode } from "../../change/node/find-node.ts";
import type { OperationSettings } from "../../change/operation/op.ts";
import { findWaits } from "../../change/waits/find.ts";
import { POOL_LABEL } from "../../cluster/node-keys.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { UserError } from "../../errors.ts";
import {
  type Ec2MachineRow,
  machinesMessage,
  UNKNOWN,
  type UnavailableService,
  withoutEc2,
} from "../../messages/node/away.ts";
import { nodeMessage } from "../../messages/node/details.ts";
import { identityReason, withIdentityFaults } from "../../messages/node/identity.ts";
import { type NodeRow, nodesMessage, noNodesChosen } from "../../messages/node/nodes-table.ts";
import { unregisteredMessage } from "../../messages/node/unregistered.ts";
import { noSuchNode } from "../../messages/operation/dry-runs.ts";
import { waitBlocks } from "../../messages/operation/waits.ts";
import { say } from "../../messages/slack/blocks.ts";
import { withStops } from "../../messages/stops/stop.ts";
import type { Message } from "../../records/records.ts";
import type { PersonWait } from "../../records/waits.ts";
import { awayOf } from "../../steps/away.ts";
import { identitiesOf, identityFaultOf } from "../../steps/cluster/identity.ts";
import { detailsOf, instanceIdOf, isWindows, labelsOf, rowOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { type Owners, ownershipOf, ownersOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { machineMatches } from "./machine-matches.ts";
import { type DueOf, seenReboots } from "./reboot-due.ts";
import { SECONDS, stopsOver, stopsShown } from "./stops.ts";

/** Asks Kubernetes. @returns an UnavailableService if it does not answer */
const fromKubernetes = <T>({ cluster }: Configuration, ask: () => Promise<T>): Promise<T | UnavailableService> =>
  patiently(SECONDS * 1_000, ask).catch((error: unknown) =>
    awayOf("kubernetes", new URL(cluster.apiServer).host, error, SECONDS),
  );

/** Lists the cluster's instances. @returns an UnavailableService if EC2 does not answer */
const fromEc2 = (steps: Steps, { cluster }: Configuration): Promise<readonly Machine[] | UnavailableService> =>
  patiently(SECONDS * 1_000, () => steps.instances.ofCluster(cluster.id)).catch((error: unknown) =>
    awayOf("ec2", null, error, SECONDS),
  );

const isUnavailable = (answer: object): answer is UnavailableService => "service" in answer && "reason" in answer;

const machineOfNode = (node: Node, machines: readonly Machine[]): Machine | undefined =>
  machines.find((machine) => machine.instanceId === instanceIdOf(node));

const machineRow = ({ instanceId, state, tags, privateDnsName, zone, launchedAt }: Machine): Ec2MachineRow => ({
  instanceId,
  state,
  pool: poolOf({ tags }),
  name: privateDnsName,
  zone,
  launchedAt,
});

/** Rows of the Windows machines; if a node was typed, only of those that it matches. */
function rowsOf(machines: readonly Machine[], typed: string | null): Ec2MachineRow[] {
  if (typed === null) return machines.filter(({ isWindows }) => isWindows === true).map(machineRow);
  const match = machineMatches(typed, machines);
  if (match.kind === "none") return [];
  return (match.kind === "one" ? [match.node] : match.nodes).map(({ machine }) => machineRow(machine));
}

const withoutKubernetes = (
  steps: Steps,
  unavailable: UnavailableService,
  machines: readonly Machine[] | UnavailableService,
  typed: string | null,
): Message =>
  machinesMessage(unavailable, isUnavailable(machines) ? machines : rowsOf(machines, typed), steps.timestamp());

/** Row of a node, with its due reboot. */
function dueRow(node: Node, machine: Machine | undefined, dueOf: DueOf): NodeRow {
  const row = rowOf(node, machine);
  const rebootDue = dueOf(node, row.pool);
  return rebootDue ? { ...row, rebootDue } : row;
}

/** Puts the waits for people above the rest of a message. */
const waitsFirst = (steps: Steps, waits: readonly PersonWait[], message: Message): Message => ({
  ...message,
  blocks: [...waitBlocks(waits, steps.timestamp()), ...message.blocks],
});

/** Choice of nodes for the list; a request of the last release names no pool. */
interface NodeChoice {
  readonly pool?: string | null;
  readonly notready?: true;
}

/** Selects rows of the list. While EC2, which has the pools, is unavailable, the Node's label is read instead. */
const isChosen =
  ({ pool = null, notready }: NodeChoice) =>
  ({ row, label }: { readonly row: NodeRow; readonly label: string | undefined }): boolean =>
    (pool === null || pool === (row.pool === UNKNOWN ? label : row.pool)) &&
    (notready !== true || !/^Ready\b/.test(row.status));

/**
 * Lists the Windows nodes, or those of a pool, or those that are not Ready. If EC2 or Kubernetes is unavailable, shows what
 * the other one knows.
 */
export async function listNodes(steps: Steps, choice: NodeChoice, settings: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const [nodes, machines] = await Promise.all([
    fromKubernetes(configuration, () => steps.nodes.all()),
    fromEc2(steps, configuration),
  ]);
  if (isUnavailable(nodes)) {
    const message = withoutKubernetes(steps, nodes, machines, null);
    const [stopped, waits] = await Promise.all([stopsShown(steps, configuration, null), findWaits(steps, [], [])]);
    return waitsFirst(steps, waits, withStops(message, stopped));
  }
  const windows = nodes.filter(isWindows);
  const dueOf = await seenReboots(steps, configuration);
  const { pool = null } = choice;
  const left = isUnavailable(machines)
    ? []
    : await steps.unregistered.list(machines, nodes, configuration.cluster.name);
  const others = left.filter((machine) => pool === null || machine.pool === pool);
  const [stopped, all, assisted] = await Promise.all([
    stopsShown(steps, configuration, windows),
    findWaits(steps, windows, others),
    steps.machines.assistance.all(),
  ]);
  const identities = identitiesOf(configuration, { nodes, assisted });
  const faults = isUnavailable(machines) ? [] : machines.flatMap((one) => identityFaultOf(one, identities) ?? []);
  const waits = all.filter((wait) => pool === null || wait.pool === null || wait.pool === pool);
  const listed = (rows: readonly NodeRow[]): Message => {
    const chosen = rows
      .map((row, at) => ({ row, label: labelsOf(windows[at] ?? {})[POOL_LABEL] }))
      .filter(isChosen(choice))
      .map(({ row }) => row);
    const list =
      chosen.length === 0 && rows.length > 0
        ? noNodesChosen({ ...choice, all: rows.length }, others, steps.timestamp())
        : nodesMessage(chosen, others, steps.timestamp());
    const message = withIdentityFaults(list, faults);
    return waitsFirst(steps, waits, withStops(message, stopped));
  };
  if (!isUnavailable(machines))
    return listed(windows.map((node) => dueRow(node, machineOfNode(node, machines), dueOf)));
  const unknown = windows.map((node) => ({ ...rowOf(node, undefined), pool: UNKNOWN }));
  return withoutEc2(listed(unknown), machines);
}

/** Facts that only EC2 knows of a machine. */
const UNKNOWN_MACHINE = { pool: UNKNOWN, zone: UNKNOWN, instanceState: UNKNOWN, ownership: UNKNOWN };

const isInstanceWithoutNode = (typed: string, nodes: readonly Node[]): boolean =>
  typed.startsWith("i-") && !nodes.some((node) => instanceIdOf(node)?.startsWith(typed));

/**
 * Describes a machine of Casement's that is not a node, such as one kept for inspection.
 * @param typed its instance id, or a unique beginning
 * @throws UserError when it matches none of them, or several
 */
async function describeMachine(
  steps: Steps,
  typed: string,
  { nodes, machines }: { readonly nodes: readonly Node[]; readonly machines: readonly Machine[] | UnavailableService },
  { runtimeVersion }: OperationSettings,
): Promise<Message> {
  const unknown = noSuchNode(typed);
  if (isUnavailable(machines)) return withoutEc2(say(unknown), machines);
  const { configuration } = await steps.runtime.read(runtimeVersion);
  const meant = machines.filter(({ instanceId }) => instanceId.startsWith(typed));
  const [only, ...others] = await steps.unregistered.list(meant, nodes, configuration.cluster.name);
  if (!only || others.length > 0) throw new UserError(unknown);
  return unregisteredMessage(only, steps.timestamp());
}

/** Ownership of a machine, with the reason where its Node does not belong to it. */
function shownOwnership(machine: Machine | undefined, owners: Owners): string {
  const fault = machine && identityFaultOf(machine, owners);
  return fault ? `observed: ${identityReason(fault, (name) => name)}` : ownershipOf(machine, owners);
}

/**
 * Describes one node, or a machine that is not a node. If EC2 or Kubernetes is unavailable, shows what the other one
 * knows.
 * @throws UserError when none or several nodes match
 */
export async function describeNode(steps: Steps, typed: string, settings: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const [found, machines] = await Promise.all([
    fromKubernetes(configuration, async () => {
      const nodes = await steps.nodes.all();
      if (isInstanceWithoutNode(typed, nodes)) return { kind: "machine" as const, nodes };
      const node = findNode(typed, nodes);
      return {
        kind: "node" as const,
        node,
        nodes,
        pods: await steps.nodes.podsOn(node.metadata?.name ?? ""),
        claimed: await steps.claims.all(),
        assisted: await steps.machines.assistance.all(),
      };
    }),
    fromEc2(steps, configuration),
  ]);
  if (isUnavailable(found)) return withoutKubernetes(steps, found, machines, typed);
  if (found.kind === "machine") return describeMachine(steps, typed, { nodes: found.nodes, machines }, settings);
  const { node, nodes, pods, claimed, assisted } = found;
  const machine = isUnavailable(machines) ? undefined : machineOfNode(node, machines);
  const instanceId = machine?.instanceId ?? instanceIdOf(node);
  const heldBy = instanceId ? ((await steps.leases.holder(instanceId)) ?? null) : null;
  const due = (await seenReboots(steps, configuration))(node, poolOf(machine));
  const ownership = shownOwnership(machine, ownersOf(configuration, { nodes, claimed, assisted }));
  const more = { ownership, heldBy };
  const details = { ...detailsOf(node, machine, pods, more), ...(due ? { rebootDue: due } : {}) };
  const stopped = await stopsOver(steps, configuration, node, details.pool);
  const described = (of: typeof details): Message => withStops(nodeMessage(of, steps.timestamp()), stopped);
  if (!isUnavailable(machines)) return described(details);
  return withoutEc2(described({ ...details, ...UNKNOWN_MACHINE }), machines);
}
