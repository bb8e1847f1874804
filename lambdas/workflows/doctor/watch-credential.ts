import type { Workflow } from "../../steps/host.ts";
import { step } from "../durably.ts";

/** What the schedule starts: see how long the cluster credential still counts. */
export interface WatchCredential {
  readonly watch: "credential";
}

const asksToWatch = (payload: object): payload is WatchCredential => "watch" in payload;

/**
 * A workflow that may read the cluster credential also tells how long it counts: an alarm watches the figure, and its
 * absence. Nobody else needs the right to read it for that.
 */
export const watchingCredential =
  <Payload extends object>(workflow: Workflow<Payload>): Workflow<Payload | WatchCredential> =>
  (steps) => {
    const work = workflow(steps);
    return (payload, ctx) =>
      asksToWatch(payload)
        ? step(ctx, "see how long the credential counts", async () =>
            steps.metrics.credentialDays(await steps.doctor.credentialDays()),
          )
        : work(payload, ctx);
  };
