import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { observeBoots } from "../../change/fleet/observe-boots.ts";
import { findWatched } from "../../change/fleet/watched-machines.ts";
import { step } from "../../engine/durable.ts";
import { orLater } from "../../engine/or-later.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { readClusterMachines } from "./cluster-machines.ts";
import { postMachineEvents } from "./machine-events.ts";
import { postNews, writeNews } from "./news.ts";
import { offerReboots } from "./offer-reboots.ts";
import { postStrays } from "./strays.ts";
import { postTroubles } from "./troubles.ts";

/** Payload with which a tick of the schedule starts the watch. */
export interface WatchReboots {
  /** Id of the event: a tick that is delivered twice is one observation. */
  readonly tick: string;
}

/**
 * By schedule: asks every machine whether updates wait for a reboot, whether its services run and its drive has space,
 * and reports what it finds, with boots that Casement did not order, machines that no operation makes a node of, and events
 * that EC2 has scheduled.
 */
export const watchReboots =
  (steps: Steps) =>
  async ({ tick }: WatchReboots, ctx: DurableContext): Promise<void> => {
    const owner = `reboots ${tick}`;
    const machines = await findWatched({ ctx, steps }, { name: "find machines to look at" }).catch(orLater([]));
    if (machines.length > 0) {
      const { foreign } = await observeBoots(ctx, steps, owner, machines);
      await writeNews({ ctx, steps }, owner, foreign, machines.length);
    }
    // If Slack is down, the news stays in the ledger and the next tick posts it.
    await step(ctx, "tell of boots", async () => {
      await postNews(steps);
      await postTroubles(steps);
      const cluster = await readClusterMachines(steps);
      await offerReboots(steps, cluster);
      await postStrays(steps, owner, cluster);
      await postMachineEvents(steps, owner, cluster);
    }).catch(orLater(undefined));
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(watchReboots);
