import { typeThis } from "../../../messages/command/syntax.ts";
import { noProfileLine } from "../../../messages/plan/instance-lines.ts";
import { lossLines } from "../../../messages/plan/workload-losses.ts";
import { context, section, sections } from "../../../messages/slack/blocks.ts";
import { sign } from "../../../messages/slack/signs.ts";
import { code, counted, plain, some } from "../../../messages/slack/text.ts";
import type { PlanCard } from "../../../records/approval.ts";
import type { Block, Message } from "../../../records/records.ts";
import { mostRecovering } from "../../../records/rollout-moves.ts";
import { podsGoOn } from "../restart-message.ts";
import { leftOutWords } from "./refusals.ts";
import { type RolloutPlan, withHostNames } from "./rollout-plan.ts";

/** Names that a line shows; the rest is counted. */
const MOST = 12;

/** Left-out nodes that are shown with their reason; the rest is counted. */
const MOST_LEFT_OUT = 5;

/** Minutes of the work and its proof after the drain; on the simulated machine a reboot takes eight, a restart four. */
const WORK_MINUTES = { reboot: 10, restart: 5 } as const;

const unique = (all: readonly string[]): string[] => [...new Set(all)];

/** Nodes that are worked on at once after the first one: those that are NotReady need no slot of the pool. */
function atOnce({ nodes, most, max }: Pick<RolloutPlan, "nodes" | "most" | "max">): number {
  const rest = nodes.slice(1);
  return rest.length > 0 && rest.every(({ isAway }) => isAway) ? mostRecovering(max) : most;
}

const afterFirst = (plan: RolloutPlan): string => {
  const { canary, nodes, max } = plan;
  if (nodes.length === 1) return "";
  const most = atOnce(plan);
  const limit = max !== null && max > most ? " (the pool allows no more)" : "";
  const pace = `${most === 1 ? "one after another" : `up to ${most} at once`}${limit}`;
  const follow = nodes.length === 2 ? "the other one follows" : `the others follow, ${pace}`;
  return canary
    ? ` It asks whether to go on once the first one is proven; then ${follow}.`
    : ` Once the first one is proven, ${follow}.`;
};

const awayLine = ({ nodes }: RolloutPlan): string[] => {
  const away = nodes.filter(({ isAway }) => isAway).map(({ name }) => code(name));
  return away.length > 0 ? [`${sign.note} *NotReady now, and first:* ${some(away, MOST)}. They need no slot.`] : [];
};

/** The same words as of one node: people approve a reset like that of a power failure. */
const ec2Line = ({ nodes }: RolloutPlan): string[] => {
  const silent = nodes.filter(({ throughEc2 }) => throughEc2).map(({ name }) => code(name));
  return silent.length > 0
    ? [
        `${sign.warning} *Rebooted through EC2, because the SSM agent is silent:* ${some(silent, MOST)}. EC2 asks Windows to restart, and resets the machine like a power failure if it has not reacted within four minutes.`,
      ]
    : [];
};

const profileLine = ({ nodes }: RolloutPlan): string[] => {
  const bare = nodes.filter(({ lacksProfile }) => lacksProfile).map(({ name }) => name);
  return bare.length > 0 ? [noProfileLine(bare)] : [];
};

const podsLine = ({ nodes, command }: RolloutPlan): string => {
  if (command === "restart") return podsGoOn;
  const pods = nodes.reduce((sum, node) => sum + node.pods, 0);
  return pods === 0 ? "No pods have to move." : `*${counted(pods, "pod")} will be evicted* in all.`;
};

const lossLine = ({ nodes }: RolloutPlan): string[] => {
  const losses = unique(nodes.flatMap((node) => node.losses));
  if (losses.length === 0) return [];
  const classes = some(
    losses.map((loss) => plain(loss, 60)),
    MOST,
  );
  return [`${sign.warning} *Lost:* ${classes}.`, ...lossLines(nodes).map((line) => `• ${line}`)];
};

const blockerLine = ({ nodes }: RolloutPlan): string[] => {
  const blocked = nodes.filter(({ blockers }) => blockers.length > 0);
  if (blocked.length === 0) return [];
  const budgets = unique(blocked.flatMap((node) => node.budgets));
  const named = budgets.length > 0 ? `, disruption budgets ${some(budgets.map(code), MOST)}` : "";
  const classes = unique(blocked.flatMap((node) => node.blockers));
  return [
    `${sign.blocked} Evictions are held up now on ${some(
      blocked.map(({ name }) => code(name)),
      MOST,
    )}: ${some(classes, MOST)}${named}. Each drain waits for them up to its deadline.`,
  ];
};

/** Budgets at which the rollout comes to a stand until their owners change them. */
const foreverLine = ({ nodes }: RolloutPlan): string[] => {
  const stuck = nodes.filter(({ forever = [] }) => forever.length > 0);
  if (stuck.length === 0) return [];
  const budgets = unique(stuck.flatMap(({ forever = [] }) => forever));
  const where = some(
    stuck.map(({ name }) => code(name)),
    MOST,
  );
  return [
    `${sign.blocked} Never allowed on ${where} by the disruption budgets ${some(budgets.map(code), MOST)}: their owners must change them, or the rollout pauses there.`,
  ];
};

const loneLine = ({ nodes }: RolloutPlan): string[] => {
  const lone = nodes.flatMap(({ name, lone: all = [] }) =>
    all.map(({ owner, pods }) => `${plain(owner, 100)} (${counted(pods, "pod")} on ${code(name)})`),
  );
  return lone.length > 0
    ? [
        `${sign.warning} Wholly on one node, and guarded by no disruption budget: ${some(lone, MOST)}. Down until their pods run elsewhere.`,
      ]
    : [];
};

/** Does each node that is in service wait for a slot, so that only nodes that are NotReady can be begun? */
const waitsForSlots = ({ nodes }: RolloutPlan): boolean => {
  const serving = nodes.filter(({ isAway }) => !isAway);
  return serving.length > 0 && serving.length === nodes.length && serving.every(({ waitsForSlot }) => waitsForSlot);
};

/** Nodes of the pool that are out of service already and take its slots; the plan's own NotReady nodes have a line. */
function takenLine(plan: RolloutPlan): string[] {
  const own = new Set(plan.nodes.filter(({ isAway }) => isAway).map(({ name }) => name));
  const all = plan.nodes.flatMap(({ away = [] }) => away).filter(({ node }) => !own.has(node));
  const away = [...new Map(all.map((one) => [one.node, one])).values()];
  const [first] = away;
  if (!first) return [];
  const list = some(
    away.map(({ node, why }) => `${code(node)} (${plain(why, 80)})`),
    MOST,
  );
  return waitsForSlots(plan)
    ? [
        `${sign.running} Out of service already: ${list}. No further node may be: the rollout waits until one is back. Next: ${typeThis("why", first.node)}.`,
      ]
    : [`${sign.warning} Out of service already: ${list}. They take slots of the pool.`];
}

const isHopeless = (plan: RolloutPlan): boolean =>
  waitsForSlots(plan) || foreverLine(plan).length > 0 || profileLine(plan).length > 0;

const timeWords = (plan: RolloutPlan): string => {
  if (isHopeless(plan)) return "No estimate: the rollout cannot end before that is fixed";
  const more = plan.command === "reboot" ? ", more when Windows installs updates" : "";
  return `Expected time: about ${lasting(expectedMinutes(plan))}${more}`;
};

/** Minutes from which a duration is said in hours. */
const HOURS_FROM = 180;

/** Says a duration: "90 minutes", "23 hours". */
const lasting = (minutes: number): string =>
  minutes < HOURS_FROM ? counted(minutes, "minute") : counted(Math.round(minutes / 60), "hour");

/** Nodes that are left out for their losses are one group, by workload. */
function leftOutLines({ leftOut, forced }: RolloutPlan): string[] {
  const losing = leftOut.filter(({ lost }) => lost !== undefined);
  const others = leftOut.filter(({ lost }) => lost === undefined);
  return [
    ...(losing.length > 0
      ? [
          `${sign.leftOut} *${counted(losing.length, "node")} left out, because pods or data would be lost:*`,
          ...lossLines(losing).map((line) => `• ${line}`),
          ...(forced === undefined ? [] : [`Next: ${forced} accepts these losses.`]),
        ]
      : []),
    ...(others.length > 0
      ? [`${sign.leftOut} *${counted(others.length, "node")} left out:* ${leftOutWords(others, MOST_LEFT_OUT)}.`]
      : []),
  ];
}

/** Minutes that a rollout should take if nothing holds it up: the first node alone, the others in waves. */
export function expectedMinutes(plan: Pick<RolloutPlan, "command" | "nodes" | "most" | "max">): number {
  const { nodes, command } = plan;
  const longest = Math.max(0, ...nodes.map(({ minutes }) => minutes)) + WORK_MINUTES[command];
  return longest * (1 + Math.ceil((nodes.length - 1) / atOnce(plan)));
}

function rolloutBlocks(whole: RolloutPlan): Block[] {
  const plan = withHostNames(whole);
  const names = some(
    plan.nodes.map(({ name }) => code(name)),
    MOST,
  );
  return [
    ...sections([
      `In this order: ${names}.`,
      ...dueLines(plan),
      ...awayLine(plan),
      ...takenLine(plan),
      ...ec2Line(plan),
      ...profileLine(plan),
      podsLine(plan),
      ...lossLine(plan),
      ...loneLine(plan),
      ...blockerLine(plan),
      ...foreverLine(plan),
      ...leftOutLines(plan),
    ]),
    context(
      `${timeWords(plan)}. A node that fails pauses the rollout and asks. Each node is judged again before it is begun${plan.isForced ? "; one with a loss that this plan does not list is left out" : ""}.`,
    ),
  ];
}

const whereOf = ({ pool, pools }: RolloutPlan): string => {
  const named = (pools ?? [pool]).flatMap((one) => (one === null ? [] : [code(one)]));
  return named.length === 0 ? "" : ` of ${some(named, MOST)}`;
};

const sentenceOf = (plan: RolloutPlan): string => {
  const isOne = plan.nodes.length === 1;
  const due = plan.due ? ` that ${isOne ? "waits" : "wait"} for a ${plan.command}` : "";
  const nodes = `${counted(plan.nodes.length, "node")}${whereOf(plan)}${due}`;
  return plan.command === "restart"
    ? `The services of ${nodes} are restarted${isOne ? "" : ", one node first"}.${afterFirst(plan)}`
    : `${nodes} ${isOne ? "is" : "are"} drained and rebooted${isOne ? "" : ", one first"}.${afterFirst(plan)}`;
};

/** Nodes by the reasons for which they wait. */
const dueLines = ({ nodes, command }: RolloutPlan): string[] => {
  const waiting = nodes.flatMap(({ name, due }) => (due === undefined ? [] : [{ name: code(name), due }]));
  return [...Map.groupBy(waiting, ({ due }) => due)].map(
    ([due, those]) =>
      `${sign.note} *${plain(due, 200)}* waits for a ${command} on ${some(
        those.map(({ name }) => name),
        MOST,
      )}.`,
  );
};

/** The plan of a rollout, for the message that asks for its approval. */
export const rolloutCard = (plan: RolloutPlan): PlanCard => ({
  ...(isHopeless(plan) ? { isHopeless: true } : {}),
  blocks: [section(`*Plan*: ${sentenceOf(plan)}`), ...rolloutBlocks(plan)],
});

/** The dry run of a rollout: its plan, which only the requester sees. @param typed the command without --dry-run */
export const rolloutDryRun = (plan: RolloutPlan, typed: readonly string[]): Message => ({
  text: `Dry run: ${plan.command} ${counted(plan.nodes.length, "node")}`,
  blocks: [
    section(`*Dry run: nothing was changed.* ${sentenceOf(plan)}`),
    ...rolloutBlocks(plan),
    context(`To apply: ${typeThis(plan.command, ...typed)}`),
  ],
});
