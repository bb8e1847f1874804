import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Stage } from "../records.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { renewingCredential } from "./doctor/watch-credentials.ts";
import { step } from "./engine/durable.ts";
import { admit, verify } from "./provision/admit.ts";
import { configureMachine, guardRoute, installFeatures, installPayload } from "./provision/configure.ts";
import { handleFailure } from "./provision/handle-failure.ts";
import { beginJob, enter, type Job, type ProvisionStart, record, releaseAll } from "./provision/job.ts";
import { clientCertificate, networkReady, nodeReady, nodeRegistered, servingCertificate } from "./provision/join.ts";
import { agentOnline, launch } from "./provision/launch.ts";

/** The way of a machine into the cluster. The order is the point: each stage relies on all before it. */
const pipeline: readonly (readonly [Stage, (job: Job) => Promise<unknown>])[] = [
  ["launch", launch],
  ["agent", agentOnline],
  ["guard", guardRoute],
  ["features", installFeatures],
  ["payload", installPayload],
  ["configure", configureMachine],
  ["client-csr", clientCertificate],
  ["node", nodeRegistered],
  ["serving-csr", servingCertificate],
  ["network", networkReady],
  ["ready", nodeReady],
  ["verify", verify],
  ["admit", admit],
];

/** One Windows node, from a launch to Ready; a failure leaves nothing half done and asks what becomes of the machine. */
export const provisionNode = renewingCredential(
  tryingRights(
    "provision-node",
    (steps: Steps) =>
      async (start: ProvisionStart, ctx: DurableContext): Promise<void> => {
        const job = await beginJob(ctx, steps, start);
        try {
          for (const [stage, run] of pipeline) {
            await enter(job, stage);
            await run(job);
          }
          await step(ctx, "done", () =>
            record(job, { status: "succeeded", waitsFor: null, endedAt: steps.timestamp() }),
          );
        } catch (error) {
          await handleFailure(job, error);
        }
        await releaseAll(job);
      },
  ),
);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(provisionNode);
