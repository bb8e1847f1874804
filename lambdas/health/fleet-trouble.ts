import { type NodeTraits, type SharedTraits, sharedTraitsOf } from "./node-traits.ts";

/** Kinds of trouble of the whole fleet, each with one call of its own. */
export const fleetTroubleKinds = ["not-ready", "agents-silent"] as const;

/** Kind of trouble of the whole fleet. */
export type FleetTroubleKind = (typeof fleetTroubleKinds)[number];

/** Cause of a node's trouble, as far as a list of nodes and machines shows it. */
export type FleetCause =
  | { readonly kind: "instance"; readonly state: string }
  /** The kubelet has stopped reporting. */
  | { readonly kind: "kubelet-silent"; readonly isAgentSilent: boolean }
  /** The kubelet reports that the node is not Ready. */
  | { readonly kind: "kubelet-unready"; readonly reason: string; readonly message: string }
  | { readonly kind: "agent-silent" }
  | { readonly kind: "no-profile" };

/** A Windows node, as a list of nodes and machines shows it. Times are ISO 8601. */
export interface FleetNode extends NodeTraits {
  readonly node: string;
  /** Null while it is Ready. */
  readonly notReadySince: string | null;
  /** Null while the SSM agent reports, and for a machine that Casement does not act for. */
  readonly agentSilentSince: string | null;
  /** Null while the node is Ready and its agent reports. */
  readonly cause: FleetCause | null;
  /** An operation works on it. */
  readonly isHeld: boolean;
  /** Casement acts for its machine. */
  readonly isOwn: boolean;
}

/** Nodes that fail for one cause. */
export interface FleetGroup {
  readonly cause: FleetCause;
  readonly nodes: readonly FleetNode[];
  readonly shared: SharedTraits;
}

/** Failing nodes of a pool. */
export interface PoolShare {
  /** Null: nodes of no pool. */
  readonly pool: string | null;
  readonly failing: number;
  readonly all: number;
}

/** Trouble of many nodes at once. */
export interface FleetTrouble {
  readonly kind: FleetTroubleKind;
  /** ISO 8601: the first failure. */
  readonly since: string;
  readonly failing: readonly FleetNode[];
  readonly all: number;
  /** Pools with a failing node. */
  readonly pools: readonly PoolShare[];
  readonly groups: readonly FleetGroup[];
}

/** Fewest nodes that are trouble of the fleet: a single one is ordinary, however small the cluster is. */
const FEWEST = 2;

/** Time for which a node must fail before it belongs to the trouble: a kubelet that missed a report is Ready with the next one. */
const SETTLED_MS = 2 * 60_000;

/** Time for which a single node that is left keeps a call open: it is likely to be recovered with the others. */
const LAST_MS = 60 * 60_000;

/**
 * Judges whether too many nodes fail at once.
 * @param most share of nodes that may fail, "30%"
 */
export const isTooMany = (failing: number, all: number, most: string): boolean =>
  failing >= FEWEST && failing * 100 > all * Number.parseInt(most, 10);

/** Selection of the nodes of a kind of trouble. */
interface Condition {
  readonly isMember: (node: FleetNode) => boolean;
  readonly since: (node: FleetNode) => string | null;
}

const conditions: Readonly<Record<FleetTroubleKind, Condition>> = {
  "not-ready": { isMember: () => true, since: ({ notReadySince }) => notReadySince },
  "agents-silent": {
    isMember: ({ isOwn }) => isOwn,
    // A node that is NotReady belongs to the other call, which names its agent.
    since: ({ notReadySince, agentSilentSince }) => (notReadySince === null ? agentSilentSince : null),
  },
};

/** Finds the first failure of nodes; ISO 8601. */
export const firstFailure = (kind: FleetTroubleKind, nodes: readonly FleetNode[]): string | undefined =>
  nodes.flatMap((node) => conditions[kind].since(node) ?? []).sort()[0];

const byPool = (members: readonly FleetNode[], failing: ReadonlySet<FleetNode>): PoolShare[] =>
  [...Map.groupBy(members, ({ pool }) => pool)]
    .map(([pool, nodes]) => ({
      pool,
      failing: nodes.filter((node) => failing.has(node)).length,
      all: nodes.length,
    }))
    .sort((one, other) => other.failing - one.failing || ((one.pool ?? "") < (other.pool ?? "") ? -1 : 1));

/** Key of a cause; the message of a kubelet differs from node to node. */
const keyOf = (cause: FleetCause | null): string =>
  JSON.stringify(cause?.kind === "kubelet-unready" ? { ...cause, message: "" } : cause);

/** Time after a start within which a failure may come from it. */
const START_MS = 2 * 60 * 60_000;

/** Leaves the common start out if the trouble began long after it: all machines of a new zone started together once. */
function recentTraits(shared: SharedTraits, since: string): SharedTraits {
  const { startedSince } = shared;
  const isRecent = startedSince !== null && Date.parse(since) - Date.parse(startedSince) <= START_MS;
  return isRecent ? shared : { ...shared, startedSince: null };
}

const groupsOf = (failing: readonly FleetNode[], working: readonly FleetNode[], since: string): FleetGroup[] =>
  [...Map.groupBy(failing, ({ cause }) => keyOf(cause)).values()]
    .flatMap((nodes) => {
      const cause = nodes[0]?.cause ?? null;
      return cause === null ? [] : [{ cause, nodes, shared: recentTraits(sharedTraitsOf(nodes, working), since) }];
    })
    .sort((one, other) => other.nodes.length - one.nodes.length);

/**
 * Finds trouble of many nodes at once: more fail than the configuration allows, or every node of a pool. Nodes that an
 * operation works on are left out, unless people were called to them. Trouble to which people were called lasts until all
 * nodes are back, or one is left that has failed for an hour and that no operation works on.
 * @param nodes all Windows nodes in service
 * @param called names of the nodes to which people were called; empty before a call
 * @param at `most`: share that may fail, "30%"; `now`: milliseconds since the epoch
 * @returns null if there is none
 */
export function fleetTroubleOf(
  kind: FleetTroubleKind,
  nodes: readonly FleetNode[],
  called: readonly string[],
  at: { readonly most: string; readonly now: number },
): FleetTrouble | null {
  const { isMember, since } = conditions[kind];
  const isSettled = (node: FleetNode) => at.now - Date.parse(since(node) ?? "") >= SETTLED_MS;
  const members = nodes.filter(isMember);
  const failing = members
    .filter((node) => isSettled(node) && (!node.isHeld || called.includes(node.node)))
    .sort((one, other) => (one.node < other.node ? -1 : 1));
  const shares = byPool(members, new Set(failing));
  const isWholePool = shares.some((share) => share.failing >= FEWEST && share.failing === share.all);
  const isTrouble =
    called.length > 0
      ? failing.length >= FEWEST ||
        failing.some((node) => node.isHeld || at.now - Date.parse(since(node) ?? "") < LAST_MS)
      : isTooMany(failing.length, members.length, at.most) || isWholePool;
  const first = firstFailure(kind, failing);
  if (!isTrouble || first === undefined) return null;
  const working = members.filter((node) => since(node) === null);
  const pools = shares.filter((share) => share.failing > 0);
  return { kind, since: first, failing, all: members.length, pools, groups: groupsOf(failing, working, first) };
}
