import { actedForAmong } from "../../change/node/acted-for.ts";
import { strayEndMessage, strayMessage } from "../../messages/fleet/strays.ts";
import { type Stray, strayNews } from "../../records/stray.ts";
import { instanceIdOf, isStarting, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";
import { TAG } from "../../tags.ts";

const poolOf = ({ tags }: Machine): string | null => tags[TAG.pool] ?? null;

/** Finds running machines that Casement launched, whose operation has ended, and that have no Node. */
async function withoutNode(steps: Steps, cluster: string, all: readonly Machine[], nodes: readonly Node[]) {
  const running = all.filter(({ state }) => state === "running");
  const left = (await steps.unregistered.list(running, nodes, cluster)).filter(({ state }) => state === "left");
  return left.map(({ instanceId, pool }): Stray => ({ kind: "no-node", instanceId, node: null, pool }));
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

/** Finds machines without a Node, and nodes with the start-up taint. */
async function findStrays(steps: Steps): Promise<readonly Stray[]> {
  const { configuration } = await steps.runtime.read(null);
  const { id, name } = configuration.cluster;
  const nodes = await steps.nodes.all();
  const machines = await steps.instances.ofCluster(id);
  const own = await actedForAmong(machines, { steps, configuration, nodes });
  return [...(await withoutNode(steps, name, machines, nodes)), ...(await starting(steps, own, nodes))];
}

/** Finds the machines that an operation works on. @returns their ids */
async function busyAmong(steps: Steps, found: readonly Stray[]): Promise<ReadonlySet<string>> {
  const holders = await Promise.all(found.map(({ instanceId }) => steps.leases.holder(instanceId)));
  return new Set(found.filter((_one, at) => holders[at] !== undefined).map(({ instanceId }) => instanceId));
}

/**
 * Posts machines without a Node and nodes that keep their start-up taint: once when they are found, and once when that
 * has ended. Call inside a step.
 * @param look names the look, unique across executions
 */
export async function postStrays(steps: Steps, look: string): Promise<void> {
  const found = await findStrays(steps);
  const before = await steps.announcements.strays.posted();
  const { began, ended, posted } = strayNews(before, found, await busyAmong(steps, found));
  if (began.length + ended.length === 0) return;
  const { slack } = await steps.runtime.rules();
  for (const [kind, strays] of Map.groupBy(began, (one) => one.kind))
    await steps.thread.post(slack.channel, strayMessage(kind, strays), `${look} ${kind}`);
  for (const [kind, strays] of Map.groupBy(ended, (one) => one.kind))
    await steps.thread.post(slack.channel, strayEndMessage(kind, strays), `${look} ${kind} ended`);
  await steps.announcements.strays.keep(posted);
}
