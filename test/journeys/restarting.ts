import type { MachineState } from "../../lib/sandbox/machine/state.ts";
import { nodeNamed } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { web } from "./others.ts";
import { withSeedNodes } from "./removal.ts";

/** Images of the probe's pods, which the seed nodes can pull. */
export const images = {
  "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
  linux: "docker.io/library/busybox:1.37",
};

/** Services that a restart ends. */
export const RESTARTED = ["containerd", "kubelet", "hybrid-overlay-node", "kube-proxy"];

/**
 * A cluster with seed nodes, in which a restart needs no approval and the data plane is probed.
 * @param outside host and port outside of the cluster that probes try
 */
export const restartable = (deadlines: object = {}, outside?: string): Promise<Journey> =>
  withSeedNodes({
    configuration: {
      approvals: { restart: { needs: 0 }, reboot: { needs: 0 } },
      probe: { images, ...(outside === undefined ? {} : { outside }) },
      deadlines,
    },
  });

/** Processes of the machine's services by the service's name. */
export function processesOn(here: Journey): Readonly<Record<string, number>> {
  const states = here.simulator.simulation.store.collection<MachineState>("machines");
  const services = Object.values(states.get(web.instanceId)?.services ?? {});
  return Object.fromEntries(services.map(({ name, processId }) => [name, processId]));
}

/** Boot of the machine, as its kubelet reports it. */
export const bootIdOf = (here: Journey): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

interface RunningPod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly startTime?: string; readonly containerStatuses?: unknown };
}

/** Pods on the node, with what changes when one is made anew or its container is started again. */
export const podsAlive = (here: Journey): readonly object[] =>
  (here.simulator.kubernetes.objects("pods") as unknown as RunningPod[])
    .filter(({ spec }) => spec.nodeName === web.name)
    .map(({ metadata: { name, uid }, status = {} }) => ({
      ...{ name, uid, startTime: status.startTime },
      containers: status.containerStatuses,
    }));

/** Services that run in another process than before. */
export function restartedOn(here: Journey, before: Readonly<Record<string, number>>): string[] {
  const now = processesOn(here);
  return Object.keys(before).filter((name) => now[name] !== before[name] && now[name] !== 0);
}

/** Pods of probes that nobody has deleted. */
export const probesLeft = (here: Journey): string[] =>
  (here.simulator.kubernetes.objects("pods") as unknown as RunningPod[])
    .filter(({ metadata: { name, deletionTimestamp } }) => name.startsWith("probe-") && !deletionTimestamp)
    .map(({ metadata }) => metadata.name);
