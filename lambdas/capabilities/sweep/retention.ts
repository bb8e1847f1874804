import type { Steps } from "../../steps/steps.ts";

/** Lets what the ledger holds of machines expire once they are gone. Belongs into a step. */
export async function expireGoneMachines(steps: Steps): Promise<void> {
  const { configuration } = await steps.runtime.read(null);
  const living = new Set(
    (await steps.instances.ofCluster(configuration.cluster.id)).map(({ instanceId }) => instanceId),
  );
  await steps.machines.keepWhileMachinesLive((instanceId) => !living.has(instanceId));
}
