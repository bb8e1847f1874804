import { type Stray, strayName } from "../../records/stray.ts";
import { instanceIdOf, isStarting, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { busyAmong, type ClusterMachines } from "./cluster-machines.ts";
import { newsSince } from "./posted-news.ts";
import { strayEndMessage, strayMessage } from "./strays-message.ts";

/** Kinds of a machine without a Node, by its state in EC2; one that changes its state is left to the next observation. */
const kinds: Readonly<Record<string, Stray["kind"]>> = { running: "no-node", stopped: "stopped" };

/** Finds running and stopped machines that Casement launched, whose operation has ended, and that have no Node. */
async function withoutNode(steps: Steps, cluster: string, all: readonly Machine[], nodes: readonly Node[]) {
  const kindOf = new Map(all.flatMap(({ instanceId, state }) => (kinds[state] ? [[instanceId, kinds[state]]] : [])));
  const there = all.filter(({ instanceId }) => kindOf.has(instanceId));
  const left = (await steps.unregistered.list(there, nodes, cluster)).filter(({ state }) => state === "left");
  return left.map(
    ({ instanceId, pool }): Stray => ({ kind: kindOf.get(instanceId) ?? "no-node", instanceId, node: null, pool }),
  );
}

/** Finds nodes with the start-up taint, except those of machines that people keep: reminders name these. */
async function starting(steps: Steps, own: ReadonlyMap<string, Machine>, nodes: readonly Node[]) {
  const tainted = nodes
    .filter((node) => isWindows(node) && isStarting(node))
    .flatMap((node) => {
      const machine = own.get(instanceIdOf(node) ?? "");
      return machine ? [{ machine, node }] : [];
    });
  const kept = new Set(await steps.unregistered.kept(tainted.map(({ machine }) => machine)));
  return tainted
    .filter(({ machine }) => !kept.has(machine))
    .map(({ machine, node }): Stray => {
      const { instanceId } = machine;
      return { kind: "starting", instanceId, node: node.metadata?.name ?? null, pool: poolOf(machine) };
    });
}

/**
 * Posts machines without a Node and nodes that keep their start-up taint: once when they are found, and once when that
 * has ended. Call inside a step.
 * @param mark names the observation, unique across executions
 */
export async function postStrays(steps: Steps, mark: string, cluster: ClusterMachines): Promise<void> {
  const { configuration, nodes, machines, own } = cluster;
  const found = [
    ...(await withoutNode(steps, configuration.cluster.name, machines, nodes)),
    ...(await starting(steps, own, nodes)),
  ];
  const before = await steps.announcements.strays.posted();
  const { began, ended, posted } = newsSince(before, found, strayName, await busyAmong(steps, found));
  if (began.length + ended.length === 0) return;
  const { slack } = configuration;
  for (const [kind, strays] of Map.groupBy(began, (one) => one.kind))
    await steps.thread.post(slack.channel, strayMessage(kind, strays), `${mark} ${kind}`);
  for (const [kind, strays] of Map.groupBy(ended, (one) => one.kind))
    await steps.thread.post(slack.channel, strayEndMessage(kind, strays), `${mark} ${kind} ended`);
  await steps.announcements.strays.keep(posted);
}
