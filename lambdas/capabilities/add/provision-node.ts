import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { runStages, stageTable } from "../../change/node/stages.ts";
import { once, record } from "../../change/node/task.ts";
import { renewingCredential } from "../../engine/renewing-credential.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import type { Profile } from "../../profiles/profile.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { admit, verify } from "./admit.ts";
import { configureMachine, guardRoute, installFeatures, installPayload } from "./configure.ts";
import { handleFailure } from "./handle-failure.ts";
import { clientCertificate, networkReady, nodeReady, nodeRegistered, servingCertificate } from "./join.ts";
import { agentOnline, launch } from "./launch.ts";
import { proveNewDataPlane } from "./new-data-plane.ts";
import { newProvisionTask, type ProvisionStart, type ProvisionTask, releaseAll } from "./task.ts";

/** Stages that bring a machine into the cluster. */
const stages = stageTable<"provision", ProvisionTask>("provision", {
  launch,
  agent: agentOnline,
  guard: guardRoute,
  features: installFeatures,
  payload: installPayload,
  configure: configureMachine,
  "client-csr": clientCertificate,
  node: nodeRegistered,
  "serving-csr": servingCertificate,
  network: networkReady,
  ready: nodeReady,
  verify,
  probe: proveNewDataPlane,
  admit,
});

/** Stages that a kind of cluster needs, in the table's order. */
export const stagesFor = ({ stages: needed }: Pick<Profile, "stages">) =>
  stages.filter(({ name }) => needed.some((one) => one === name));

/**
 * Brings up one Windows node, from launch to Ready. After a failure it cleans up and asks whether to keep the machine.
 */
export const provisionNode = renewingCredential(
  tryingRights(
    "provision-node",
    (steps: Steps) =>
      async (start: ProvisionStart, ctx: DurableContext): Promise<void> => {
        const task = await newProvisionTask(ctx, steps, start);
        try {
          await runStages(task, stagesFor(task.profile));
          await once(task, "done", () =>
            record(task, { status: "succeeded", waitsFor: null, endedAt: steps.timestamp() }),
          );
        } catch (error) {
          await handleFailure(task, error);
        }
        await releaseAll(task);
      },
  ),
);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(provisionNode);
