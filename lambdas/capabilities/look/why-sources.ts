import { findNode } from "../../change/node/find-node.ts";
import type { OperationSettings } from "../../change/operation/op.ts";
import { deletionMarkKeys, deletionMarksOf } from "../../cluster/deletion-marks.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { UserError } from "../../errors.ts";
import { agentCount, isReportOverdue } from "../../health/agent-silence.ts";
import type { HealthFacts } from "../../health/facts.ts";
import type { RebootDue } from "../../machine/reboot-due.ts";
import type { OwnReboot } from "../../machine/seen-machine.ts";
import { machinesMessage, type UnavailableService } from "../../messages/node/away.ts";
import type { IdentityFault } from "../../messages/node/identity.ts";
import { missing } from "../../messages/node/why.ts";
import { linuxNode, noSuchNode, severalNodes } from "../../messages/operation/dry-runs.ts";
import { instanceLink, messageSettings } from "../../messages/operation/links.ts";
import { code } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";
import { identitiesOf, identityFaultOf } from "../../steps/cluster/identity.ts";
import { instanceIdOf, isLinux, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownershipOf, ownersOf } from "../../steps/cluster/ownership.ts";
import { isOurs, type Machine } from "../../steps/ec2/instances.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { factsOf, from, type HealthSubject, isAway, unknownFacts } from "./health-facts.ts";
import { lastProbe } from "./last-probe.ts";
import { machineMatches } from "./machine-matches.ts";
import { seenReboots } from "./reboot-due.ts";

/** Name by which commands find it: a machine that has no Node is known by its instance id alone. */
const nameOf = ({ name, node, instanceId }: HealthSubject, isClusterKnown: boolean): string =>
  node === undefined && isClusterKnown ? (instanceId ?? name) : name;

/** Seconds within which a service must answer a list request. */
const LIST_SECONDS = 6;

/** The requested node, and the facts that are known without asking the machine. */
export interface WhySources {
  readonly node: string;
  readonly facts: HealthFacts;
  readonly heldBy: string | null;
  /** Null if the machine has none, or if EC2 does not answer. */
  readonly pool: string | null;
  /** The machine's last reboot that Casement ordered. */
  readonly ownReboot: OwnReboot | null;
  /** Address of the instance in the EC2 console; null without an instance. */
  readonly console: string | null;
  /** Instance to ask; null if it cannot be asked. */
  readonly instanceId: string | null;
  /** The machine exists, but Casement is not known to act for it. */
  readonly isObserved: boolean;
  /** Reason why the Node does not belong to the machine; null if it does, or if that is not known. */
  readonly identity: IdentityFault | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** By the last observation of the reboot watch; undefined if there is no Node. */
  readonly rebootDue: RebootDue | undefined;
}

/** @throws UserError when none or several machines match */
function requestedMachine(typed: string, machines: readonly Machine[]): HealthSubject {
  const match = machineMatches(typed, machines);
  if (match.kind === "none") throw new UserError(noSuchNode(typed));
  if (match.kind === "several")
    throw new UserError(
      severalNodes(
        typed,
        match.nodes.map(({ name }) => name),
      ),
    );
  const { machine, name, instanceId } = match.node;
  return { name, node: undefined, machine, instanceId };
}

function requested(
  typed: string,
  nodes: readonly Node[] | UnavailableService,
  machines: readonly Machine[] | UnavailableService,
): HealthSubject {
  const here = isAway(machines) ? [] : machines;
  const isMachine =
    !isAway(nodes) && typed.startsWith("i-") && !nodes.some((node) => instanceIdOf(node)?.startsWith(typed));
  if (isAway(nodes) || isMachine) return requestedMachine(typed, here);
  const node = findNode(typed, nodes);
  const { name = "" } = node.metadata ?? {};
  if (isLinux(node)) throw new UserError(linuxNode(name, `Next: ${code(`kubectl describe node ${name}`)}`));
  const instanceId = instanceIdOf(node);
  const machine = here.find((one) => one.instanceId === instanceId);
  return { name, node, machine, instanceId };
}

/** Does Casement act for a machine? An IdentityFault is the reason why it does not. */
type Acting = "yes" | "no" | "unknown" | IdentityFault;

/** May the schedule probe a node of such a machine, as far as that is known? */
const mayBeProbed = (acting: Acting): boolean => acting === "yes" || acting === "unknown";

/** Finds the reason why Casement may not ask a machine; null if it may, or if there is none to ask. */
function notAskedBecause(machine: Machine | undefined, acting: Acting): string | null {
  if (!machine || acting === "yes") return null;
  if (typeof acting === "object") return missing.otherNode;
  return acting === "no" ? missing.notOurs : missing.owner;
}

/**
 * Finds the reason why the machine cannot be asked; null if it can. IAM refuses commands to a machine that Casement
 * neither launched nor assists.
 */
function obstacle(
  { machine, instanceId }: HealthSubject,
  machines: readonly Machine[] | UnavailableService,
  { ssm }: Pick<HealthFacts, "ssm">,
  acting: Acting,
): string | null {
  if (instanceId === null) return missing.noInstance;
  if (!isAway(machines) && !machine) return missing.noInstance;
  const refusal = notAskedBecause(machine, acting);
  if (refusal !== null) return refusal;
  if (machine && machine.state !== "running") return missing.notRunning(machine.state);
  if (!ssm.known) return ssm.why;
  return ssm.value.registered && ssm.value.online ? null : missing.notAsked;
}

/**
 * Finds out whether Casement acts for the machine and may send it an observation. If the cluster or the ledger does not
 * answer, that is known only of a machine that Casement launched.
 */
async function actingFor(
  steps: Steps,
  { machine }: HealthSubject,
  listed: readonly Node[] | UnavailableService,
  configuration: Configuration,
): Promise<Acting> {
  if (!machine) return "unknown";
  const nodes = isAway(listed) ? [] : listed;
  if (isOurs(machine, configuration.cluster.name))
    return identityFaultOf(machine, identitiesOf(configuration, { nodes })) ?? "yes";
  try {
    const [claimed, assisted] = await patiently(LIST_SECONDS * 1_000, () =>
      Promise.all([steps.claims.all(), steps.machines.assistance.all()]),
    );
    const owners = ownersOf(configuration, { nodes, claimed, assisted });
    return identityFaultOf(machine, owners) ?? (ownershipOf(machine, owners) === "assisted" ? "yes" : "no");
  } catch {
    return "unknown";
  }
}

/** Counts the silent agents of the cluster's running Windows machines, if this one's is silent. */
async function withAgents(
  steps: Steps,
  configuration: Configuration,
  machines: readonly Machine[] | UnavailableService,
  facts: HealthFacts,
): Promise<HealthFacts> {
  if (!facts.ssm.known || !isReportOverdue(facts.ssm.value, steps.now()) || isAway(machines)) return facts;
  const agents = await from("ssm", configuration, LIST_SECONDS, () => steps.machine.agents());
  if (isAway(agents)) return facts;
  const running = machines.filter(({ isWindows, state }) => isWindows === true && state === "running");
  const ids = running.map(({ instanceId }) => instanceId);
  return { ...facts, agents: agentCount(ids, agents, steps.now()) };
}

/** Adds the ages of the taints with which autoscalers mark the node. */
async function withMarks(steps: Steps, { node, instanceId }: HealthSubject, facts: HealthFacts): Promise<HealthFacts> {
  if (!node || !facts.kubernetes.known || deletionMarkKeys(node).length === 0) return facts;
  const seen = instanceId === null ? {} : await steps.machines.seen.marks(instanceId, node.metadata?.uid ?? "");
  const marks = deletionMarksOf(node, seen, steps.now());
  return { ...facts, kubernetes: { known: true, value: { ...facts.kubernetes.value, marks } } };
}

/** Keys of the taints of all pools, for a node of one: those of another owner's nodes are not known. */
const poolTaintsOf = ({ pools }: Configuration, pool: string | null): Pick<HealthFacts, "poolTaints"> =>
  pool === null ? {} : { poolTaints: Object.values(pools).map(({ taint }) => taint.key) };

/** Reads who holds a machine, and its last reboot that Casement ordered. */
async function recordsOf(
  steps: Steps,
  { instanceId }: HealthSubject,
): Promise<Pick<WhySources, "heldBy" | "ownReboot">> {
  if (instanceId === null) return { heldBy: null, ownReboot: null };
  const [heldBy, reboots] = await Promise.all([steps.leases.holder(instanceId), steps.machines.seen.ownReboots()]);
  return { heldBy: heldBy ?? null, ownReboot: reboots.get(instanceId) ?? null };
}

/**
 * Collects the facts of EC2, Systems Manager and Kubernetes about a node; an unavailable service only omits its own
 * facts.
 * @returns a message instead if neither the cluster nor EC2 answers
 * @throws UserError when none or several nodes match
 */
export async function lookAround(
  steps: Steps,
  typed: string,
  { runtimeVersion }: OperationSettings,
): Promise<WhySources | { readonly message: Message }> {
  const startedAt = steps.timestamp();
  const { configuration } = await steps.runtime.read(runtimeVersion);
  const [nodes, machines] = await Promise.all([
    from("kubernetes", configuration, LIST_SECONDS, () => steps.nodes.all()),
    from("ec2", configuration, LIST_SECONDS, () => steps.instances.ofCluster(configuration.cluster.id)),
  ]);
  if (isAway(nodes) && isAway(machines)) return { message: machinesMessage(nodes, machines, startedAt) };
  const one = requested(typed, nodes, machines);
  const away = { nodes: isAway(nodes) ? nodes : null, machines: isAway(machines) ? machines : null };
  const facts = await withAgents(steps, configuration, machines, await factsOf(steps, configuration, one, away));
  const acting = await actingFor(steps, one, nodes, configuration);
  const why = obstacle(one, machines, facts, acting);
  const windowsNodes = isAway(nodes) ? 0 : nodes.filter(isWindows).length;
  const probed = {
    ...(await withMarks(steps, one, facts)),
    probe: await lastProbe(steps, configuration, one, { isActedFor: mayBeProbed(acting), windowsNodes }),
  };
  const pool = poolOf(one.machine);
  return {
    node: nameOf(one, !isAway(nodes)),
    facts: { ...probed, ...poolTaintsOf(configuration, pool), ...(why === null ? {} : { machine: unknownFacts(why) }) },
    ...(await recordsOf(steps, one)),
    pool,
    console: one.machine ? instanceLink(messageSettings(configuration), one.machine.instanceId) : null,
    instanceId: why === null ? one.instanceId : null,
    isObserved: one.machine !== undefined && acting !== "yes",
    identity: typeof acting === "object" ? acting : null,
    startedAt,
    rebootDue: one.node && (await seenReboots(steps, configuration))(one.node, pool),
  };
}
