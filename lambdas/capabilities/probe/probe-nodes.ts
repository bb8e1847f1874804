import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { traitsOf } from "../../change/fleet/fleet-nodes.ts";
import { machinesActedFor } from "../../change/node/acted-for.ts";
import { probeRepeatedly } from "../../change/node/probe.ts";
import type { DurableSteps } from "../../change/operation/op.ts";
import { audienceOnCall } from "../../commands/policy.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { orLater } from "../../engine/or-later.ts";
import { sharedTraitsOf } from "../../health/node-traits.ts";
import type { ProbeResult } from "../../health/probe.ts";
import { dueNow, roundHours } from "../../health/probe-turns.ts";
import {
  type DueMessages,
  type FailingNode,
  failingNow,
  isFailing,
  isNewCommonCause,
  tellingOf,
} from "../../health/probed-node.ts";
import { postedNetworkTrouble } from "../../machine/seen-troubles.ts";
import { profileOf } from "../../profiles/list.ts";
import { isInService } from "../../steps/cluster/breaker.ts";
import { bootedOf, instanceIdOf, isReady, isWindows, windowsReleaseOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { deadNodeMessage, deadNodesMessage, deadNotice } from "./messages.ts";
import { type ProbeJoining, probeJoining } from "./probe-joining.ts";
import { type ProbedNow, recordProbe } from "./probed-now.ts";

/** Payload with which a tick of the schedule starts the probes. */
export interface ProbeNodes {
  /** Id of the event: a tick that is delivered twice is one run. */
  readonly tick: string;
}

/** A tick's work. */
interface Turn {
  readonly due: readonly ProbedNow[];
  /** Other nodes whose probe failed within the round. */
  readonly failing: readonly FailingNode[];
  /** Hours in which each node has one turn. */
  readonly hours: number;
}

const NOTHING: Turn = { due: [], failing: [], hours: 0 };

/**
 * Selects a node to probe: it serves pods, there is an image for its Windows, and its pool does not disable probes. A
 * node of another owner has no pool.
 */
function probedOf(
  node: Node,
  machine: Machine,
  { pools, probe: { images, outside } }: Configuration,
): ProbedNow | null {
  if (!isReady(node) || node.spec?.unschedulable === true) return null;
  const pool = pools[poolOf(machine) ?? ""];
  const windows = windowsReleaseOf(node, pool);
  if (pool?.probe === false || windows === undefined || !images[windows]) return null;
  const { instanceId } = machine;
  return { node: node.metadata?.name ?? "", ...bootedOf(node), instanceId, windows, images, outside };
}

/** Finds the nodes whose turn it is, except those that an operation works on. Call inside a step. */
async function findTurn(steps: Steps): Promise<Turn> {
  const { configuration } = await steps.runtime.read(null);
  if (!configuration.probe.images.linux) return NOTHING;
  const all = await steps.nodes.all();
  const [machines, known] = await Promise.all([
    machinesActedFor(steps, configuration, all),
    steps.machines.probed.all(),
  ]);
  const nodes = all.filter(isWindows);
  const probed = nodes.flatMap((node) => {
    const machine = machines.get(instanceIdOf(node) ?? "");
    return (machine && probedOf(node, machine, configuration)) ?? [];
  });
  const due: ProbedNow[] = [];
  for (const one of dueNow(probed, steps.now()))
    if ((await steps.leases.holder(one.instanceId)) === undefined) due.push(one);
  const hours = roundHours(probed.length);
  const failing = failingNow(known, nodes.map(bootedOf), hours, steps.now());
  return { due, failing: failing.filter(({ uid }) => !due.some((one) => one.uid === uid)), hours };
}

/** Prefix of the names of a tick's probes. */
const markOf = (tick: string): string =>
  tick
    .replace(/[^a-z0-9]/gi, "")
    .slice(-20)
    .toLowerCase();

/** Probes one node of a tick. */
const probeDue = (durable: DurableSteps, mark: string, at: number, due: ProbedNow): Promise<ProbeResult> =>
  probeRepeatedly(durable, due, (attempt) => ({ name: `probe ${at}.${attempt}`, id: `${mark}-${at}-${attempt}` }));

/** Compares the nodes that fail with the other Ready nodes. */
async function sharedBy(steps: Steps, configuration: Configuration, failing: readonly FailingNode[]) {
  const [all, machines, reboots] = await Promise.all([
    steps.nodes.all(),
    steps.instances.ofCluster(configuration.cluster.id),
    steps.machines.seen.ownReboots(),
  ]);
  const byId = new Map(machines.map((machine) => [machine.instanceId, machine]));
  const names = new Set(failing.map(({ node }) => node));
  const { dead = [], well = [] } = Object.groupBy(
    all.filter((node) => isInService(node) && isReady(node)),
    ({ metadata }) => (names.has(metadata?.name ?? "") ? "dead" : "well"),
  );
  const traits = (node: Node) =>
    traitsOf(node, byId.get(instanceIdOf(node) ?? ""), reboots.get(instanceIdOf(node) ?? ""));
  return sharedTraitsOf(dead.map(traits), well.map(traits));
}

/**
 * Posts a card for each dead node, once a day, or one card for all if they fail together. A node whose services were posted before
 * has its card in the thread of that message. Call inside a step.
 */
async function tell(steps: Steps, telling: DueMessages, hours: number): Promise<void> {
  const { configuration } = await steps.runtime.read(null);
  const { slack } = configuration;
  const at = steps.timestamp();
  const told = ({ node }: FailingNode) => ({ node, now: at });
  if (telling.kind === "each") {
    const seen = await steps.machines.seen.all();
    const { networkServices = [] } = profileOf(configuration).expected;
    for (const one of telling.nodes) {
      const cause = postedNetworkTrouble(seen.get(one.instanceId)?.troubles, networkServices);
      const message = deadNodeMessage(one, told(one), 1, cause);
      // The machine's services have a card in the channel already: what they lead to stands beneath it.
      const ts = await steps.thread.post(slack.channel, message, `dead ${one.uid} ${at.slice(0, 10)}`, cause?.ts);
      await steps.machines.probed.noteCard(one.instanceId, { kind: "one", ts, at });
    }
    return;
  }
  const { nodes, cards } = telling;
  const shared = await sharedBy(steps, configuration, nodes);
  const message = deadNodesMessage(nodes, hours, shared, audienceOnCall(configuration, "reboot"));
  const ts =
    telling.ts === null
      ? await steps.thread.post(slack.channel, message, `dead nodes ${at.slice(0, 13)}`)
      : await steps.thread.update(slack.channel, telling.ts, message);
  for (const { card, ...one } of cards)
    if (card) await steps.thread.update(slack.channel, card.ts, deadNodeMessage(one, told(one), nodes.length));
  for (const { instanceId } of nodes) await steps.machines.probed.noteCard(instanceId, { kind: "common", ts, at });
}

/** Probes the nodes whose turn it is, and calls people to nodes on which pods do not work. */
async function probeByTurns(ctx: DurableContext, steps: Steps, { tick }: ProbeNodes): Promise<void> {
  const { due, failing, hours } = await step(ctx, "find nodes whose turn it is", () => findTurn(steps)).catch(
    orLater(NOTHING),
  );
  const dead: FailingNode[] = [];
  for (const [at, one] of due.entries()) {
    const probed = await recordProbe(ctx, steps, one, await probeDue({ ctx, steps }, markOf(tick), at, one));
    if (isFailing(probed)) dead.push(probed);
    // A node that fails takes eight minutes: people are called to a common cause at once, the other nodes have the next turn.
    if (isNewCommonCause(dead, failing)) break;
  }
  if (dead.length === 0) return;
  const telling = await step(ctx, "decide how to tell it", async () => tellingOf(dead, failing, steps.timestamp()));
  const isPosted = telling.kind === "common" && telling.ts !== null;
  if (!isPosted) await escalate(ctx, steps, "dead nodes", deadNotice(telling.nodes, telling.kind === "common"));
  // People were paged through SNS; if Slack is down, the node's next probe posts the message.
  await step(ctx, "tell the channel", () => tell(steps, telling, hours)).catch(orLater(undefined));
}

/**
 * Probes the data plane of Ready nodes: by schedule each in its turn, and a node that joins before it takes pods.
 */
export const probeNodes =
  (steps: Steps) =>
  (start: ProbeNodes | ProbeJoining, ctx: DurableContext): Promise<void> =>
    "tick" in start ? probeByTurns(ctx, steps, start) : probeJoining(ctx, steps, start);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(probeNodes);
