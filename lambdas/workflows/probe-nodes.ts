import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Configuration } from "../configuration.ts";
import type { ProbeResult } from "../desired/probe.ts";
import { dueNow } from "../desired/probe-turns.ts";
import { type DeadNode, deadNodeMessage, deadNodesMessage, deadNotice } from "../messages/node/dead.ts";
import { instanceIdOf, isReady, isWindows, windowsReleaseOf } from "../steps/cluster/node-facts.ts";
import type { Node } from "../steps/cluster/nodes.ts";
import type { Machine } from "../steps/ec2/instances.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { TAG } from "../tags.ts";
import { step } from "./engine/durable.ts";
import { escalate } from "./engine/escalate.ts";
import { orLater } from "./engine/or-later.ts";
import { machinesActedFor } from "./node/acted-for.ts";
import { type Probed, probe } from "./node/probe.ts";

/** Payload with which a tick of the schedule starts the probes. */
export interface ProbeNodes {
  /** The event's id: the same tick delivered twice is the same run. */
  readonly tick: string;
}

/** A node whose turn it is. */
interface Due extends Omit<Probed, "id"> {
  readonly uid: string;
}

/** Probes until a node counts as dead: one pod may come to a bad moment. */
const ATTEMPTS = 2;

/** More dead nodes than this at once have one cause, which is not theirs. */
const FEW = 3;

/**
 * A node that is probed: it serves pods, there is an image for its Windows, and its pool does not say otherwise. A node of another owner is
 * in no pool.
 */
function probedOf(node: Node, machine: Machine, { pools, probe: { images } }: Configuration): Due | null {
  const { name = "", uid = "" } = node.metadata ?? {};
  if (!isReady(node) || node.spec?.unschedulable === true) return null;
  const pool = pools[machine.tags[TAG.pool] ?? ""];
  const windows = windowsReleaseOf(node, pool);
  if (pool?.probe === false || windows === undefined || !images[windows]) return null;
  return { node: name, uid, windows, images };
}

/** Finds the nodes whose turn it is; one that an operation works on is left to it. Belongs into a step. */
async function findDue(steps: Steps): Promise<readonly Due[]> {
  const { configuration } = await steps.runtime.read(null);
  if (!configuration.probe.images.linux) return [];
  const [nodes, machines] = await Promise.all([steps.nodes.all(), machinesActedFor(steps, configuration.cluster)]);
  const probed = nodes.filter(isWindows).flatMap((node) => {
    const machine = machines.get(instanceIdOf(node) ?? "");
    const one = machine && probedOf(node, machine, configuration);
    return one ? [{ ...one, instanceId: machine.instanceId }] : [];
  });
  const due: Due[] = [];
  for (const { instanceId, ...one } of dueNow(probed, steps.now()))
    if ((await steps.leases.holder(instanceId)) === undefined) due.push(one);
  return due;
}

/** Probes a node until it works, or has failed each time; what could not be probed says nothing about it. */
async function tried(ctx: DurableContext, steps: Steps, tick: string, at: number, due: Due): Promise<ProbeResult> {
  for (let attempt = 1; ; attempt += 1) {
    const id = `${tick
      .replace(/[^a-z0-9]/gi, "")
      .slice(-20)
      .toLowerCase()}-${at}-${attempt}`;
    const result = await probe(ctx, steps, `probe ${at}.${attempt}`, { ...due, id });
    if (result.state !== "fails" || attempt === ATTEMPTS) return result;
  }
}

/** Tells the channel: a card for each dead node, or one for many. A node is told once a day. Belongs into a step. */
async function tell(
  steps: Steps,
  dead: readonly (DeadNode & { readonly uid: string })[],
  probed: number,
): Promise<void> {
  const { slack, command } = await steps.runtime.rules();
  const now = steps.timestamp();
  const day = now.slice(0, 10);
  if (dead.length > FEW)
    return void (await steps.thread.post(
      slack.channel,
      deadNodesMessage(dead, probed),
      `dead nodes ${now.slice(0, 13)}`,
    ));
  for (const one of dead) {
    const message = deadNodeMessage(one, { node: one.node, commandWord: command, now });
    await steps.thread.post(slack.channel, message, `dead ${one.uid} ${day}`);
  }
}

/** By schedule: tries the data plane of nodes that say Ready, each in its turn, and calls people to those on which no pod works. */
export const probeNodes =
  (steps: Steps) =>
  async ({ tick }: ProbeNodes, ctx: DurableContext): Promise<void> => {
    const due = await step(ctx, "find nodes whose turn it is", () => findDue(steps)).catch(orLater([]));
    const dead: (DeadNode & { readonly uid: string })[] = [];
    for (const [at, one] of due.entries()) {
      const result = await tried(ctx, steps, tick, at, one);
      if (result.state === "fails") dead.push({ node: one.node, uid: one.uid, fault: result.fault, from: result.from });
    }
    if (dead.length === 0) return;
    await escalate(ctx, steps, "dead nodes", deadNotice(dead));
    // Past Slack they were called by now: while it is away, the next turn of the node tells it.
    await step(ctx, "tell the channel", () => tell(steps, dead, due.length)).catch(orLater(undefined));
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(probeNodes);
