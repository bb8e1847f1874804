import { createSimulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore, type Snapshot, type Store } from "../../../lib/sandbox/core/store.ts";
import { clusterAuthority, servingCredentials } from "../../../lib/sandbox/kubernetes/access/authority.ts";
import { kubeletClients } from "../../../lib/sandbox/kubernetes/access/kubelet-clients.ts";
import { manualClock } from "../manual-clock.ts";

const made = new Map<number, Promise<Snapshot>>();

/** The certificates of a cluster that is started for the first time, as its store keeps them. */
async function certificatesAt(now: number): Promise<Snapshot> {
  const store = openStore(":memory:");
  const simulation = createSimulation({ clock: manualClock(now), store, seed: 7 });
  const authority = await clusterAuthority(simulation);
  await servingCredentials(simulation, authority);
  await kubeletClients(simulation, authority);
  const snapshot = store.snapshot();
  store.close();
  return snapshot;
}

/**
 * Opens a store for a cluster that starts at `now` (ms since the epoch), with its certificates in it. They are four
 * fifths of what a simulated API server costs, so each worker makes them once.
 */
export async function certifiedStore(now: number): Promise<Store> {
  const certificates = made.get(now) ?? certificatesAt(now);
  made.set(now, certificates);
  return openStore(":memory:", await certificates);
}
