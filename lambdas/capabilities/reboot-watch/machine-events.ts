import {
  machineEventsEndMessage,
  machineEventsMessage,
  machineStoppedMessage,
} from "../../messages/health/scheduled-events.ts";
import { type MachineEvent, machineEventName } from "../../records/machine-event.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { busyAmong, type ClusterMachines } from "./cluster-machines.ts";
import { newsSince } from "./posted-news.ts";

/** Finds what EC2 has scheduled for the machines that Casement changes. */
async function findEvents(steps: Steps, { nodes, own }: ClusterMachines): Promise<readonly MachineEvent[]> {
  const names = new Map(nodes.map((node) => [instanceIdOf(node) ?? "", node.metadata?.name ?? null]));
  const scheduled = await steps.health.scheduledEvents();
  return [...own.values()].flatMap(({ instanceId, tags }) =>
    (scheduled.get(instanceId) ?? []).map((event) => ({
      ...{ instanceId, node: names.get(instanceId) ?? null, pool: poolOf({ tags }) },
      ...event,
    })),
  );
}

/** Separates ended events of machines that do not run from others. The message of an event that EC2 moved has its new time. */
function endsOf(ended: readonly MachineEvent[], began: readonly MachineEvent[], { own }: ClusterMachines) {
  const isMoved = ({ instanceId, code }: MachineEvent): boolean =>
    began.some((one) => one.instanceId === instanceId && one.code === code);
  const states = ended
    .filter((event) => !isMoved(event))
    .map((event) => ({ event, state: own.get(event.instanceId)?.state ?? "terminated" }));
  return {
    stopped: states.filter(({ state }) => state !== "running"),
    over: states.filter(({ state }) => state === "running").map(({ event }) => event),
  };
}

/**
 * Posts the events that EC2 has scheduled for machines: once when EC2 lists them, and once when it no longer does. A
 * machine that is gone takes its events along without a message. Call inside a step.
 * @param mark names the observation, unique across executions
 */
export async function postMachineEvents(steps: Steps, mark: string, cluster: ClusterMachines): Promise<void> {
  const found = await findEvents(steps, cluster);
  const before = (await steps.announcements.machineEvents.posted()).filter(({ instanceId }) =>
    cluster.own.has(instanceId),
  );
  const { began, ended, posted } = newsSince(before, found, machineEventName, await busyAmong(steps, found));
  if (began.length + ended.length === 0) return;
  const { channel } = cluster.configuration.slack;
  const { stopped, over } = endsOf(ended, began, cluster);
  for (const { event, state } of stopped)
    await steps.thread.post(channel, machineStoppedMessage(event, state), `${mark} ${machineEventName(event)} stopped`);
  for (const [code, events] of Map.groupBy(over, (one) => one.code))
    await steps.thread.post(channel, machineEventsEndMessage(events), `${mark} ${code} ended`);
  for (const [code, events] of Map.groupBy(began, (one) => one.code))
    await steps.thread.post(channel, machineEventsMessage(events), `${mark} ${code}`);
  await steps.announcements.machineEvents.keep(posted);
}
