import type { Change } from "../../change/change.ts";
import { type ChosenNode, judgeNode } from "../../change/node/choose.ts";
import { isQuarantined } from "../../change/node/quarantine.ts";
import { restoreNode } from "../../change/node/restore.ts";
import { stageTable } from "../../change/node/stages.ts";
import type { Op } from "../../change/operation/op.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { isNamed } from "../../commands/node-matches.ts";
import type { Request } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import {
  cordonDryRun,
  cordonFailedSummary,
  cordonLeaves,
  cordonPlanCard,
  nodeIsGone,
  stillQuarantined,
} from "../../messages/node/cordon.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { type CordonTask, cordonByRequest, uncordonByRequest } from "./stages.ts";

/** A person's cordon or uncordon. */
type CordonRequest = Extract<Request, { command: "cordon" | "uncordon" }>;

const stages = stageTable<"cordon", CordonTask>("cordon", { cordon: cordonByRequest, uncordon: uncordonByRequest });

/** @throws Refused for a quarantined node whose name was not typed once more */
function checkQuarantine({ ctx, steps, request }: Op<CordonRequest>, { name, uid }: ChosenNode): Promise<true> {
  return step(ctx, "check the quarantine", async (): Promise<true> => {
    const isMeant = request.command === "uncordon" && isNamed(name, request.quarantined ?? "");
    if (!isMeant && (await isQuarantined(steps, uid))) throw new Refused(stillQuarantined(name));
    return true;
  });
}

/** Builds the change of one direction; the two differ in their stage and in their check beforehand. */
const change = (command: CordonRequest["command"]): Change<CordonRequest, ChosenNode, CordonTask> => ({
  isFor: (request): request is CordonRequest => request.command === command,
  workflow: "cordon",
  eventReason: command === "cordon" ? "CasementCordoning" : "CasementUncordoning",
  names: { plan: "judge", end: "end without a change" },
  stages: () => stages.filter(({ name }) => name === command),
  plan: async (op) => (await judgeNode(op, command, op.request.node)).chosen,
  subject: (chosen) => ({ ...chosen, isRecovery: true }),
  dryRun: ({ name, isCordoned }) => cordonDryRun(command, name, isCordoned),
  ...(command === "uncordon" ? { confirm: checkQuarantine } : {}),
  effects: async (op, { name }) => {
    const { uid, bootId, instanceId, isCordoned } = (await judgeNode(op, command, name)).chosen;
    return {
      record: { action: command, options: {}, nodes: [{ uid, bootId, instanceId }], losses: [], blockers: [] },
      pods: 0,
      card: cordonPlanCard(command, name, isCordoned),
    };
  },
  taskOf: (task) => ({ ...task, summary: "" }),
  // An uncordon is not taken back: its patch may have come to the API server although no answer came.
  undo: (task) => (command === "uncordon" ? cordonLeaves.unknown : restoreNode(task)),
  finish: ({ summary, isGone }) => ({ summary, ...(isGone ? { outcome: nodeIsGone } : {}) }),
  words: {
    cancelled: cordonFailedSummary.cancelled,
    failed: (left) => cordonFailedSummary.failed(command, left),
  },
});

/** `/win cordon` and `/win uncordon`: keep new pods off a node, or allow them again. */
export const changes = [anyChange(change("cordon")), anyChange(change("uncordon"))];

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(changing(...changes));
