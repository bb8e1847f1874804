import type { Change } from "../../change/change.ts";
import { cordonForEmptying, slot } from "../../change/emptying/emptying.ts";
import { checkAfterWait, judgeNode } from "../../change/node/choose.ts";
import { stageTable } from "../../change/node/stages.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { endingWords, failure, finishing, undo } from "./endings.ts";
import {
  type PlannedRestart,
  planRestart,
  planRestartPart,
  type RestartRequest,
  restartEffects,
} from "./plan-restart.ts";
import { proof } from "./proof.ts";
import { goneBeforeRestart, notRestartedSummary, restartDryRun, restartedSummary } from "./restart-message.ts";
import { restartServices } from "./restart-services.ts";
import { restore } from "./stages.ts";
import { EVICTS_NOTHING, type RebootTask, unproven } from "./task.ts";

/** `/win restart`: cordons a node, restarts its services once, and restores its schedulability after the proof. */
const restart: Change<RestartRequest, PlannedRestart, RebootTask> = {
  isFor: (request): request is RestartRequest => request.command === "restart" && "node" in request,
  workflow: "restart",
  eventReason: "CasementRestarting",
  names: { plan: "plan", end: "end without a restart" },
  stages: () =>
    stageTable<"restart", RebootTask>("restart", {
      slot,
      cordon: cordonForEmptying,
      restart: restartServices,
      prove: proof,
      restore,
    }),
  plan: planRestart,
  subject: ({ chosen, isReady }) => ({ ...chosen, isRecovery: !isReady }),
  dryRun: ({ plan }) => restartDryRun(plan),
  effects: restartEffects,
  planPart: planRestartPart,
  taskOf: (task, { chosen: { name, pool } }) => ({
    ...{ ...task, ...unproven, ...EVICTS_NOTHING, pool },
    judgeAgain: async () => {
      await checkAfterWait(task.op, pool);
      await judgeNode(task.op, "restart", name);
    },
  }),
  finish: finishing(restartedSummary, goneBeforeRestart),
  words: endingWords(notRestartedSummary),
  ...{ undo, failure },
};

/** `/win restart` on one node. */
export const changes = [anyChange(restart)];

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("restart-node", changing(...changes)));
