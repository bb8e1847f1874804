import { machineEventsEndMessage, machineEventsMessage } from "../../messages/health/scheduled-events.ts";
import { type MachineEvent, machineEventName } from "../../records/machine-event.ts";
import { newsSince } from "../../records/posted-news.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Steps } from "../../steps/steps.ts";
import { TAG } from "../../tags.ts";
import { busyAmong, type ClusterMachines } from "./cluster-machines.ts";

/** Finds what EC2 has scheduled for the machines that Casement changes. */
async function findEvents(steps: Steps, { nodes, own }: ClusterMachines): Promise<readonly MachineEvent[]> {
  const names = new Map(nodes.map((node) => [instanceIdOf(node) ?? "", node.metadata?.name ?? null]));
  const scheduled = await steps.health.scheduledEvents();
  return [...own.values()].flatMap(({ instanceId, tags }) =>
    (scheduled.get(instanceId) ?? []).map((event) => ({
      ...{ instanceId, node: names.get(instanceId) ?? null, pool: tags[TAG.pool] ?? null },
      ...event,
    })),
  );
}

/**
 * Posts the events that EC2 has scheduled for machines: once when EC2 lists them, and once when it no longer does. A
 * machine that has ended takes its events along without a message. Call inside a step.
 * @param look names the look, unique across executions
 */
export async function postMachineEvents(steps: Steps, look: string, cluster: ClusterMachines): Promise<void> {
  const found = await findEvents(steps, cluster);
  const before = (await steps.announcements.machineEvents.posted()).filter(({ instanceId }) =>
    cluster.own.has(instanceId),
  );
  const { began, ended, posted } = newsSince(before, found, machineEventName, await busyAmong(steps, found));
  if (began.length + ended.length === 0) return;
  const { channel } = cluster.configuration.slack;
  for (const [code, events] of Map.groupBy(ended, (one) => one.code))
    await steps.thread.post(channel, machineEventsEndMessage(events), `${look} ${code} ended`);
  for (const [code, events] of Map.groupBy(began, (one) => one.code))
    await steps.thread.post(channel, machineEventsMessage(events), `${look} ${code}`);
  await steps.announcements.machineEvents.keep(posted);
}
