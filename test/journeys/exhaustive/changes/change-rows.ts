import { CORDONED_BY, OUT_OF_BALANCERS, QUARANTINED } from "../../../../lambdas/cluster/node-keys.ts";
import { isGuarded, recordOf, tagOf } from "../../assisting.ts";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import {
  allowDisruptions,
  cordonByHand,
  edge,
  guardedPod,
  type SeedNode,
  shortName,
  stateOf,
  web,
} from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";

/** Everything of a node that a change may touch. */
export interface NodeState {
  /** Null where there is no Node. */
  readonly node: { readonly isCordoned: boolean; readonly taints: readonly string[]; readonly marks: object } | null;
  readonly instance: string | undefined;
  /** Tag, guard and approval of the assisted machine. */
  readonly assistance: { readonly tag: string | null; readonly isGuarded: boolean; readonly approval: string | null };
}

/** Reads the node of a change, and its machine. */
export async function nodeStateOf(here: Journey, seed: SeedNode): Promise<NodeState> {
  const node = nodeNamed(here, seed.name);
  const { annotations = {}, labels = {} } = node?.metadata ?? {};
  return {
    node: node
      ? {
          isCordoned: node.spec?.unschedulable === true,
          taints: (node.spec?.taints ?? []).map(({ key }) => key).sort(),
          marks: {
            cordonedBy: annotations[CORDONED_BY] !== undefined,
            outOfBalancers: labels[OUT_OF_BALANCERS] !== undefined,
            quarantined: labels[QUARANTINED] !== undefined,
          },
        }
      : null,
    instance: stateOf(here, seed),
    assistance: {
      tag: tagOf(here) ?? null,
      isGuarded: isGuarded(here),
      approval: (await recordOf(here))?.state ?? null,
    },
  };
}

const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

const cordoned =
  (marks: object) =>
  ({ node, ...rest }: NodeState): NodeState => ({
    ...rest,
    node: node && {
      isCordoned: true,
      taints: [...node.taints, UNSCHEDULABLE].sort(),
      marks: { ...node.marks, cordonedBy: true, ...marks },
    },
  });

const schedulable = ({ node, ...rest }: NodeState): NodeState => ({
  ...rest,
  node: node && {
    isCordoned: false,
    taints: node.taints.filter((key) => key !== UNSCHEDULABLE),
    marks: { cordonedBy: false, outOfBalancers: false, quarantined: false },
  },
});

const assistedAs =
  (tag: string | null, guarded: boolean, approval: string | null) =>
  (before: NodeState): NodeState => ({ ...before, assistance: { tag, isGuarded: guarded, approval } });

/** Ends of a change that a person or a fault brought about while it was under way. */
export type Trouble = "cancelled" | "out of time" | "its Node is deleted";

/** An end of a change: what the ledger and people hold of it, and how it leaves the node. */
export interface ChangeEnd {
  readonly status: "succeeded" | "failed" | "cancelled" | "refused";
  /** Words of the message in the channel. */
  readonly says: RegExp;
  /** State of the node by its state before; by default the same. */
  readonly leaves?: (before: NodeState) => NodeState;
  /** Reason why it ends otherwise than the other changes. */
  readonly because?: string;
}

/** A change as a person asks for it, and how it ends. */
export interface ChangeRow {
  readonly command: string;
  readonly node: SeedNode;
  /** Brings the node into the state in which the change has something to do. */
  readonly setUp?: (here: Journey) => Promise<void>;
  /** The requester says yes in a dialog first. */
  readonly hasDialog?: true;
  /** Keeps the change in its stage. @returns lets it go on */
  readonly hold: (here: Journey) => Promise<() => Promise<void>>;
  /** Holds it only once its stage is entered: before, it would not begin. */
  readonly holdsLater?: true;
  readonly stage: string;
  /** Minutes of its stages, for a change that runs out of time. */
  readonly deadlines: object;
  readonly succeeds: ChangeEnd;
  readonly ends: Readonly<Record<Trouble, ChangeEnd>>;
  /** Reason why it never waits for an approval; by default it may. */
  readonly unapproved?: string;
  /** Reason why it has no dry run; by default it has one. */
  readonly withoutDryRun?: string;
}

const WEB = shortName(web);
const EDGE = shortName(edge);

/** A budget keeps the drain in its eviction. */
async function holdEviction(here: Journey): Promise<() => Promise<void>> {
  await guardedPod(here, web);
  return () => allowDisruptions(here);
}

const holdBy = (kind: string, match: Record<string, string>) => async (here: Journey) => {
  const fault = injectFault(here, kind, match);
  return async () => void endFault(here, fault);
};

const holdPatches = holdBy("kubernetes-5xx", { verb: "patch", resource: "nodes" });
const holdAgent = holdBy("agent-silent", { instanceId: edge.instanceId });
const holdLooks = holdBy("look-fails", { instanceId: web.instanceId });

/** A reboot whose machine answers no look afterwards: its node stays cordoned. */
async function leaveUnproven(here: Journey): Promise<void> {
  await here.type("operator", `/win reboot ${WEB} --force ${web.name}`);
  await here.until(async () => (await newest(here)).nodes[0]?.stage === "prove", 60, "the proof");
  const release = await holdLooks(here);
  await settled(here, 60);
  await release();
}

/** The change is cancelled in its stage. @param left state of the node in the message, as a clause */
const cancelled = (left: string): ChangeEnd => ({
  status: "cancelled",
  says: new RegExp(`⏹️[\\s\\S]*ancelled[\\s\\S]*${left}`),
});

/** The change fails in its stage. @param stage its name in messages */
const late = (stage: string, left: string): ChangeEnd => ({
  status: "failed",
  says: new RegExp(`❌[\\s\\S]*failed at ${stage}\\*[\\s\\S]*${left}`, "i"),
});

const GIVEN_BACK = "the node is schedulable again";
const evicting = { cancelled: cancelled(GIVEN_BACK), "out of time": late("eviction", GIVEN_BACK) };
const nodeGone: ChangeEnd = {
  status: "succeeded",
  says: /no longer exists/,
  leaves: (before) => ({ ...before, node: null }),
};
const gone = nodeGone.leaves;

/** Every change of one node. */
export const changeRows: readonly ChangeRow[] = [
  {
    command: `drain ${WEB} --force ${web.name}`,
    node: web,
    hold: holdEviction,
    stage: "evict",
    deadlines: { drain: { evict: 2, continue: 1 } },
    succeeds: { status: "succeeded", says: /is drained/, leaves: cordoned({ outOfBalancers: true }) },
    ends: { ...evicting, "its Node is deleted": nodeGone },
  },
  {
    command: `reboot ${WEB} --force ${web.name}`,
    node: web,
    hold: holdEviction,
    stage: "evict",
    deadlines: { reboot: { evict: 2, continue: 1 } },
    succeeds: { status: "succeeded", says: /was rebooted and works/ },
    ends: { ...evicting, "its Node is deleted": nodeGone },
  },
  {
    command: `restart ${WEB}`,
    node: web,
    hold: holdPatches,
    stage: "cordon",
    deadlines: { restart: { cordon: 2 } },
    succeeds: { status: "succeeded", says: /were restarted and work/ },
    ends: {
      cancelled: cancelled("the node is schedulable, as it was before"),
      "out of time": late("cordon", "the node is schedulable, as it was before"),
      "its Node is deleted": nodeGone,
    },
  },
  {
    command: `remove ${WEB}`,
    node: web,
    hasDialog: true,
    hold: holdEviction,
    stage: "evict",
    deadlines: { remove: { evict: 2, continue: 1 } },
    succeeds: {
      status: "succeeded",
      says: /✅ Remove/,
      leaves: (before) => ({ ...before, node: null, instance: "terminated" }),
    },
    ends: {
      ...evicting,
      "its Node is deleted": {
        status: "succeeded",
        says: /✅ Remove/,
        leaves: (before) => ({ ...before, node: null, instance: "terminated" }),
        because: "its instance is what people pay for",
      },
    },
  },
  {
    command: `cordon ${WEB}`,
    node: web,
    hold: holdPatches,
    stage: "cordon",
    deadlines: { cordon: { cordon: 2 } },
    succeeds: { status: "succeeded", says: /is cordoned/, leaves: cordoned({}) },
    ends: {
      cancelled: cancelled("the node is schedulable, as it was before"),
      "out of time": late("cordon", "the node is schedulable, as it was before"),
      "its Node is deleted": nodeGone,
    },
  },
  {
    command: `uncordon ${WEB}`,
    node: web,
    setUp: (here) => cordonByHand(here, web),
    hold: holdPatches,
    stage: "uncordon",
    deadlines: { cordon: { uncordon: 2 } },
    succeeds: { status: "succeeded", says: /is schedulable again/, leaves: schedulable },
    ends: {
      cancelled: cancelled("the node may still be cordoned"),
      "out of time": late("uncordon", "the node may still be cordoned"),
      "its Node is deleted": nodeGone,
    },
  },
  {
    command: `prove ${WEB}`,
    node: web,
    setUp: leaveUnproven,
    hold: holdLooks,
    stage: "prove",
    deadlines: { proving: { prove: 5 } },
    succeeds: { status: "succeeded", says: /proven/, leaves: schedulable },
    ends: {
      cancelled: {
        status: "succeeded",
        says: /proven/,
        leaves: schedulable,
        because: "a proof moves no pod and ends within its deadline",
      },
      "out of time": late("proof", "the node stays cordoned until it is proven"),
      "its Node is deleted": {
        status: "failed",
        says: /❌[\s\S]*its Node no longer exists/i,
        leaves: gone,
        because: "a Node that is gone is not proven",
      },
    },
    unapproved: "it disturbs nothing",
    withoutDryRun: "it changes nothing but a cordon that a reboot has left",
  },
  {
    command: `assist ${EDGE}`,
    node: edge,
    hold: holdAgent,
    holdsLater: true,
    stage: "guard",
    deadlines: { assisting: { guard: 2 } },
    succeeds: { status: "succeeded", says: /is assisted/, leaves: assistedAs("prod-west", true, "assisted") },
    ends: {
      cancelled: cancelled("guard and tag were taken away again"),
      "out of time": late("metadata route", "the tag was taken away again, and the guard may still be on the machine"),
      "its Node is deleted": {
        status: "failed",
        says: /❌[\s\S]*guard and tag were taken away again[\s\S]*its Node no longer exists/i,
        leaves: gone,
        because: "Casement gets no right to a machine that is no node of the cluster",
      },
    },
  },
  {
    command: `assist ${EDGE} --end`,
    node: edge,
    setUp: async (here) => {
      await here.type("operator", `/win assist ${EDGE}`);
      await settled(here, 90);
    },
    hold: holdAgent,
    holdsLater: true,
    stage: "release",
    deadlines: { assisting: { release: 2 } },
    succeeds: { status: "succeeded", says: /is not assisted any more/, leaves: assistedAs(null, false, null) },
    ends: {
      cancelled: {
        status: "succeeded",
        says: /is not assisted any more/,
        leaves: assistedAs(null, false, null),
        because: "an approval that has begun to end does not come back",
      },
      "out of time": {
        status: "failed",
        says: /❌[\s\S]*its approval has no power any more/i,
        leaves: assistedAs("prod-west", true, "beginning"),
        because: "an approval that has begun to end does not come back",
      },
      "its Node is deleted": {
        status: "succeeded",
        says: /is not assisted any more/,
        leaves: (before) => assistedAs(null, false, null)({ ...before, node: null }),
        because: "guard and tag are on the machine, whatever becomes of its Node",
      },
    },
    unapproved: "it gives rights back",
  },
];
