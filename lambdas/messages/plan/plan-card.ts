import type { Block } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { drainRefused } from "../node/drain.ts";
import { controllerWords } from "../node/other-controllers.ts";
import { between, localDate, localTime } from "../slack/age.ts";
import { context, sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, plain, sentence, some } from "../slack/text.ts";
import { instanceLines, lacksProfile } from "./instance-lines.ts";
import { losesSomething, lossesOf, noPodsToMove } from "./moved-pods.ts";
import type {
  AwayNode,
  Blocker,
  EmptyingOutlook,
  EvictionObstacles,
  LongJob,
  NodePlan,
  Obstacle,
  Placement,
  RemovalOutlook,
  RestartPlan,
} from "./plan.ts";

/** Names that a line shows; the rest is counted. */
const MOST = 5;

/** Characters of a name: a line of several must fit into Slack's section. */
const LONGEST = 100;

const short = (name: string): string => code(name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);

const names = (all: readonly string[]): string => some(all.map(short), MOST);

const placed = ({ namespace, name }: Pick<Placement, "namespace" | "name">): string => `${namespace}/${name}`;

/** Pods in the order of harm: those that lose something or are not made anew first. */
function podLine({ pods, staying }: NodePlan): string {
  const stays =
    staying > 0 ? ` ${counted(staying, "pod")} of DaemonSets and static pods ${staying === 1 ? "stays" : "stay"}.` : "";
  if (pods.length === 0) return `${noPodsToMove}${stays}`;
  const listed = names(pods.map(placed));
  return `*${counted(pods.length, "pod")} will be evicted:* ${listed}.${stays}`;
}

function lossLine({ pods }: NodePlan): string[] {
  const losses = lossesOf(pods);
  if (!losses) return [];
  const which = pods.filter(losesSomething).map(placed);
  return [`${sign.warning} *${losses}:* ${names(which)}.`];
}

/** Workloads that are down until their pods run elsewhere. */
const loneLines = ({ lone = [] }: Pick<EmptyingOutlook, "lone">): string[] =>
  lone.map(
    ({ owner, pods }) =>
      `${sign.warning} Every pod of ${short(owner)} (${pods}) is on this node, and no disruption budget guards them: it is down until they run elsewhere.`,
  );

/** Pods of Deployments and the like that the node's kubelet does not end, such as those of a NotReady node. */
const terminatingLine = ({ terminating = [] }: Pick<EmptyingOutlook, "terminating">): string[] => {
  if (terminating.length === 0) return [];
  const [is, it] = terminating.length === 1 ? ["is", "it"] : ["are", "them"];
  return [
    `${sign.note} ${counted(terminating.length, "pod")} ${is} Terminating already, and nothing waits for ${it}: ${names(terminating)}.`,
  ];
};

const expendableLine = ({ expendable = [] }: Pick<EmptyingOutlook, "expendable">): string[] =>
  expendable.length > 0 ? [`${sign.note} Local data that its owner allows to lose: ${names(expendable)}.`] : [];

/** Nothing is evicted while one loss is not allowed. */
const refusalLine = ({ refusals }: NodePlan): string[] =>
  refusals.length > 0 ? [`${sign.refused} ${sentence(drainRefused(refusals))}`] : [];

const unreadLine = ({ unread }: Pick<NodePlan, "unread">): string[] =>
  unread.length > 0
    ? [`${sign.unknown} Not judged, because it could not be read: ${plain(unread.join(", "), 600)}.`]
    : [];

const ever = ({ isForever, why }: Blocker): string =>
  isForever ? `${plain(why)}. It never allows an eviction: its owner must change it` : plain(why);

/** Two budgets on one pod, one that blocks, or a refusal that no budget explains. */
const blockerLine = (blocker: Blocker): string => {
  if (blocker.budgets.length === 0)
    return `${sign.blocked} The API server refuses the eviction of ${names(blocker.pods)}: ${plain(blocker.why, 400)}.`;
  return blocker.budgets.length > 1
    ? `${sign.blocked} Disruption budgets ${names(blocker.budgets)} select the same pod ${names(blocker.pods)}, so the API server never evicts it. Remove one of them.`
    : `${sign.blocked} Disruption budget ${names(blocker.budgets)} blocks ${names(blocker.pods)}: ${ever(blocker)}.`;
};

/** The dry run asks the server itself; where it could not be asked, the plan says what it is worth. */
const untriedLine = ({ untried }: EvictionObstacles): string[] =>
  untried === null
    ? []
    : [
        `${sign.unknown} The eviction of ${counted(untried.pods, "pod")} could not be tried by a dry run (${plain(untried.why, 200)}): only the status of their disruption budgets was judged.`,
      ];

/** A plan's time, and the minutes of eviction after which its drain asks whether to go on. */
type Times = Pick<RemovalOutlook, "at" | "mostMinutes">;

/** Does the hold end after a drain that begins now has passed its deadline? */
const isTooLong = ({ at, mostMinutes }: Times, { until }: LongJob): boolean =>
  mostMinutes !== undefined && typeof until === "string" && Date.parse(until) > Date.parse(at) + mostMinutes * 60_000;

const jobLine = (times: Times, job: LongJob): string => {
  const { pod, annotation, startedAt, until } = job;
  const held = until ? ` until ${localDate(until)}` : "";
  const asks = `${short(pod)} asks not to be interrupted${held} (${short(annotation)}); it has run for ${startedAt ? between(startedAt, times.at) : "0s"}.`;
  return isTooLong(times, job)
    ? `${sign.blocked} ${asks} That is longer than the drain waits before it asks (${counted(times.mostMinutes ?? 0, "minute")} of eviction).`
    : `${sign.running} ${asks} The drain waits until ${until ? "then" : "it ends"}, or until its deadline.`;
};

/** Pods whose annotation asks not to interrupt them in a way that no one can read. */
const unreadHoldLine = ({ unreadHolds = [] }: EvictionObstacles): string[] =>
  unreadHolds.length > 0
    ? [
        `${sign.unknown} ${counted(unreadHolds.length, "pod")} may ask not to be interrupted, by a value that cannot be read, and ${unreadHolds.length === 1 ? "is" : "are"} evicted: ${names(unreadHolds)}.`,
      ]
    : [];

const obstacleKey = (obstacle: Obstacle): string => (typeof obstacle === "string" ? obstacle : obstacle.resource);

const obstacleWords = (obstacle: Obstacle, release: string | null): string => {
  if (typeof obstacle === "object") return `not enough free ${plain(obstacle.resource, 60)} on the other nodes`;
  return {
    release: `no other node in service runs ${plain(release ?? "its operating system", 60)}`,
    selector: "no other node matches its node selector or RuntimeClass",
    taint: "it does not tolerate the taints of the other nodes",
    zone: "its volume is bound to a zone without another node",
  }[obstacle];
};

/**
 * One line for each reason why pods find no place; they are Pending until a node takes them.
 * @param until the event after which they run again
 */
function placementLines(
  { placements, release, blockers }: Pick<EmptyingOutlook, "placements" | "release" | "blockers">,
  until: string,
): string[] {
  const homeless = placements.filter(({ obstacle }) => obstacle !== null);
  if (placements.length > 0 && homeless.length === 0)
    return isBlockedForever({ blockers }) ? [] : [`${sign.done} Every pod fits on another node now.`];
  const groups = Map.groupBy(homeless, ({ obstacle }) => obstacleKey(obstacle ?? "release"));
  return [...groups.values()].map((group) => {
    const reason = obstacleWords(group[0]?.obstacle ?? "release", release);
    const pods = `${counted(group.length, "pod")} (${names(group.map(placed))})`;
    return `${sign.warning} ${pods}: ${reason}. Pending until ${until}.`;
  });
}

type SlotsSeen = Pick<NodePlan, "away" | "maxUnavailable" | "pool" | "waitsForSlot">;

/** Line on the nodes of the pool that are out of service, and on the wait for them; none if there are none. */
export function awayLine({ away, maxUnavailable, pool, waitsForSlot }: SlotsSeen): string[] {
  const [first] = away;
  if (!first) return [];
  const list = some(
    away.map(({ node, why }: AwayNode) => `${short(node)} (${plain(why, 80)})`),
    MOST,
  );
  const words = `Away in ${code(pool ?? "")} now: ${list}; at most ${maxUnavailable} at once`;
  return waitsForSlot
    ? [
        `${sign.running} ${words}: this waits until one of them is back in service. Next: ${typeThis("why", first.node)}.`,
      ]
    : [`${words}.`];
}

/** Lines on other nodes of the pool, other controllers, and what could not be read. */
export function surroundings(plan: Omit<RestartPlan, "services">): string[] {
  const others = plan.others.map((other) => {
    const { does, pause } = controllerWords(other, plan.node);
    return `${sign.note} ${sentence(does)} To pause it: ${pause}.`;
  });
  return [...awayLine(plan), ...shortened(others), ...unreadLine(plan)];
}

/** Does a budget block evictions until its owner changes it? */
const isBlockedForever = ({ blockers }: Pick<NodePlan, "blockers">): boolean =>
  blockers.some(({ isForever }) => isForever);

/**
 * Can the plan not succeed before a person does something else: changes a budget, brings a node back, or attaches the
 * instance profile? Then approving it only starts a wait.
 */
export const isHopelessPlan = (
  plan: Pick<NodePlan, "blockers" | "waitsForSlot" | "throughEc2" | "instance">,
): boolean => isBlockedForever(plan) || plan.waitsForSlot === true || lacksProfile(plan);

function timeWords(plan: NodePlan): string {
  if (isBlockedForever(plan)) return "No estimate: the drain cannot end before the disruption budget is changed";
  if (plan.waitsForSlot) return "No estimate: it waits for a node of the pool to come back first";
  return `Expected time: about ${counted(plan.minutes, "minute")}`;
}

/**
 * Shows what emptying a node would do: pods and losses, what blocks, whether pods fit elsewhere, who else is at work.
 * @returns sections within Slack's limits, and one line of context
 */
export function planBlocks(plan: NodePlan): Block[] {
  const groups = [
    [
      podLine(plan),
      ...terminatingLine(plan),
      ...lossLine(plan),
      ...expendableLine(plan),
      ...shortened(loneLines(plan)),
      ...refusalLine(plan),
    ],
    obstacleLines(plan),
    shortened(placementLines(plan, "this node is schedulable again, or another one is added")),
    [...instanceLines(plan), ...surroundings(plan)],
  ];
  return [
    ...groups.flatMap((lines) => sections(lines)),
    context(
      `${timeWords(plan)}; after ${counted(plan.mostMinutes, "minute")} of eviction it asks whether to go on. Read at ${localTime(plan.at)}; checked again before anything is changed.`,
    ),
  ];
}

/** Lines on what holds the evictions up, each kind cut to a few. */
const obstacleLines = (plan: EvictionObstacles & Times): string[] => [
  ...shortened(plan.blockers.map(blockerLine)),
  ...untriedLine(plan),
  ...shortened(plan.longJobs.map((job) => jobLine(plan, job))),
  ...unreadHoldLine(plan),
];

/** Lines on the pods of a node that is removed: what goes down with them, what holds them up, where they can run. */
export const removalLines = (outlook: RemovalOutlook): string[] => [
  ...terminatingLine(outlook),
  ...expendableLine(outlook),
  ...shortened(loneLines(outlook)),
  ...obstacleLines(outlook),
  ...shortened(placementLines(outlook, "a node is added that they fit on")),
  ...unreadLine(outlook),
];

/** Lines of one kind that are shown; the rest is counted. */
const LINES = 4;

const shortened = (lines: readonly string[]): string[] =>
  lines.length > LINES ? [...lines.slice(0, LINES), `… and ${lines.length - LINES} more`] : [...lines];
