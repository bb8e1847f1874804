import { digestOf, type Json } from "../../audit/canonical.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { readOnce } from "../../engine/chunks.ts";
import { type Input, type InputContent, needsInput } from "../../inputs/input.ts";
import type { MachineInputs, SentInput } from "../../records/machine-record.ts";
import { provisioned } from "../../steps/cluster/managed-nodes.ts";
import { instanceIdOf, isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownershipOf, ownersOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { type InputWatch, isBlocked } from "../../steps/input-watches.ts";
import type { Steps } from "../../steps/steps.ts";
import { holdOn } from "../../steps/stops.ts";
import { poolOf } from "../../tags.ts";
import { stopsOfDates } from "../../time/calendar.ts";
import { type Stop, stopFor } from "../../time/stops.ts";

/** Interval at which the files on the nodes are compared; in between, the ledger says what each node has. */
const COMPARE_AGAIN_MS = 6 * 3_600_000;

/** Machines by instance id. */
type Machines = ReadonlyMap<string, Machine>;

/** An input that nodes must get. */
export interface Wish {
  readonly input: Input;
  readonly configuration: Configuration;
  /** A person has asked for it: a blocked content is tried again, and a content that became empty is intended. */
  readonly isRequested: boolean;
  /** False for a person who may not accept consequences: the parts that wait for that are left out. */
  readonly mayAccept?: boolean;
  /** Selects nodes of the cluster; by default all. @throws UserError if a person has named a node that does not exist */
  readonly select?: (nodes: readonly Node[], machines: () => Promise<Machines>) => Promise<readonly Node[]>;
}

/** Nodes that may differ; `isWhole` when every node was considered. */
export interface Due {
  readonly isWhole: boolean;
  readonly nodes: readonly DueNode[];
}

/** A node that may differ from what an input wants. */
export interface DueNode {
  readonly instanceId: string;
  readonly name: string;
  readonly uid: string;
  readonly pool: string | null;
  /** Nodes with equal keys have the same record, so that they get the same actions. */
  readonly key: string;
}

/** Inputs of every machine, by instance id. */
type Given = ReadonlyMap<string, MachineInputs>;

/** Parts of the ledger that decide about an input: several readers of one step share the answers. */
export interface LedgerReads {
  /** Inputs of every machine. */
  readonly given: () => Promise<Given>;
  /** State of the input's schedule. */
  readonly watch: () => Promise<InputWatch>;
}

/** Reads each part of the ledger at most once. */
export const ledgerReads = (steps: Steps, { rule }: Input): LedgerReads => ({
  given: readOnce(() => steps.machines.given.all()),
  watch: readOnce(() => steps.inputWatches.of(rule).read()),
});

/** A node with the machine on which it runs. */
interface Placed {
  readonly node: Node;
  readonly machine: Machine;
}

/** Makes a function that finds the freeze or the hold which covers a node; null if there is none. */
export async function stopOver(steps: Steps, configuration: Configuration): Promise<(placed: Placed) => Stop | null> {
  const [recorded, frozen] = await Promise.all([steps.stops.all(), steps.stops.ofNamespace()]);
  const stops = [...recorded, ...frozen, ...stopsOfDates(configuration, steps.now())];
  return ({ node, machine }) => {
    const place = { uid: node.metadata?.uid ?? null, pool: poolOf(machine) };
    return stopFor([...holdOn(node), ...stops], place);
  };
}

/**
 * Was the same content sent to the machine a short while ago, without a confirmation? Then it is not tried at every
 * tick, which would call people each time. An input whose files are compared is looked at instead.
 */
function isTriedLately(
  { input, configuration, isRequested }: Wish,
  content: InputContent,
  sent: SentInput | undefined,
  now: number,
): boolean {
  if (isRequested || input.comparedFile(configuration) !== null || !sent?.unconfirmed) return false;
  return sent.sha256 === content.sha256 && now - Date.parse(sent.at) < input.retryHours.change * 3_600_000;
}

/** Those of the nodes that Casement provisioned and whose record differs; all of them when they are compared. */
function candidatesOf(
  wish: Wish,
  content: InputContent,
  { nodes, given, isWhole, now }: { nodes: readonly Node[]; given: Given; isWhole: boolean; now: number },
): readonly Node[] {
  const { input } = wish;
  const needs = needsInput(input, content);
  return provisioned(nodes).filter((node) => {
    const sent = given.get(instanceIdOf(node) ?? "")?.[input.name];
    return isWhole || (needs(sent) && !isTriedLately(wish, content, sent, now));
  });
}

/**
 * Finds the machines of nodes that run, that only Casement manages, whose agents take commands, and whose scripts reach
 * AWS.
 */
async function reachable(
  steps: Steps,
  configuration: Configuration,
  {
    nodes,
    candidates,
    machines,
  }: { readonly nodes: readonly Node[]; readonly candidates: readonly Node[]; readonly machines: Machines },
): Promise<readonly Placed[]> {
  const [claimed, agents] = [await steps.claims.all(), await steps.machine.agents()];
  const seen = await steps.machines.seen.all();
  const owners = ownersOf(configuration, { nodes, claimed });
  return candidates.flatMap((node) => {
    const machine = machines.get(instanceIdOf(node) ?? "");
    if (machine?.state !== "running" || !agents.get(machine.instanceId)?.online) return [];
    if (seen.get(machine.instanceId)?.proxiedBy) return [];
    return ownershipOf(machine, owners) === "managed" ? [{ node, machine }] : [];
  });
}

/** Selects the nodes whose record is the one by which they were found. */
export const unchangedNodes = (input: Input, nodes: readonly DueNode[], given: Given): readonly DueNode[] =>
  nodes.filter(({ instanceId, key }) => keyOf(given.get(instanceId)?.[input.name]) === key);

/** Key of a record: machines with equal keys get equal actions. */
const keyOf = (sent: SentInput | undefined): string => {
  const { owner: _owner, at: _at, ...state } = sent ?? { owner: "", at: "" };
  return digestOf(state as unknown as Json).slice(0, 12);
};

/** Finds the nodes that need an input most. If the API server does not list pods, continue without their order. */
async function urgentFor(steps: Steps, { urgentNodes }: Input): Promise<ReadonlySet<string>> {
  return urgentNodes ? urgentNodes(await steps.nodes.pods().catch(() => [])) : new Set();
}

/**
 * Finds running nodes that only Casement manages and that may differ from what an input wants. Ready nodes come first, of
 * these the ones that need it most; nodes that did not confirm what was sent, and a node that failed before, come last.
 */
export async function findDue(
  steps: Steps,
  wish: Wish,
  content: InputContent,
  reads: LedgerReads = ledgerReads(steps, wish.input),
): Promise<Due> {
  const { input, configuration, isRequested } = wish;
  const watch = await reads.watch();
  if (!isRequested && isBlocked(watch, content.sha256, steps.now())) return { isWhole: false, nodes: [] };
  const isCompared = input.comparedFile(configuration) !== null;
  const isWhole = isCompared && (isRequested || steps.now() - watch.comparedAt >= COMPARE_AGAIN_MS);
  const given = await reads.given();
  const all = await steps.nodes.all();
  const readMachines = readOnce(
    async () =>
      new Map((await steps.instances.ofCluster(configuration.cluster.id)).map((one) => [one.instanceId, one])),
  );
  const nodes = (await wish.select?.(all, readMachines)) ?? all;
  const candidates = candidatesOf(wish, content, { nodes, given, isWhole, now: steps.now() });
  if (candidates.length === 0) return { isWhole, nodes: [] };
  const placed = await reachable(steps, configuration, { nodes: all, candidates, machines: await readMachines() });
  const stopOf = input.waitsForStops ? await stopOver(steps, configuration) : () => null;
  const urgent = placed.length > 1 ? await urgentFor(steps, input) : new Set<string>();
  const rank = ({ node, machine }: Placed): number => {
    const failedBefore = watch.blocked?.sha256 === content.sha256 && watch.blocked.instanceId === machine.instanceId;
    // It did not confirm what was sent last: perhaps its agent is silent.
    const isOpen = given.get(machine.instanceId)?.[input.name]?.unconfirmed !== undefined;
    const isUrgent = urgent.has(node.metadata?.name ?? "");
    return Number(failedBefore) * 8 + Number(isOpen) * 4 + Number(!isReady(node)) * 2 + Number(!isUrgent);
  };
  const due = placed.filter((one) => stopOf(one) === null).toSorted((one, other) => rank(one) - rank(other));
  return { isWhole, nodes: due.map(({ node, machine }) => dueNode(input, node, machine, given)) };
}

const dueNode = (input: Input, node: Node, { instanceId, tags }: Machine, given: Given): DueNode => ({
  instanceId,
  name: node.metadata?.name ?? "",
  uid: node.metadata?.uid ?? "",
  pool: poolOf({ tags }),
  key: keyOf(given.get(instanceId)?.[input.name]),
});
