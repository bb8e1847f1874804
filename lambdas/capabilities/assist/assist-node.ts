import type { Change, ChangeTask } from "../../change/change.ts";
import type { ChosenNode } from "../../change/node/choose.ts";
import { stageTable } from "../../change/node/stages.ts";
import { anyChange, changing } from "../../change/run-change.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import {
  assistDryRun,
  assistEndDryRun,
  assistLeaves,
  assistPlanCard,
  assistSummary,
} from "../../messages/node/assist.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { type AssistRequest, type JudgedAssist, type JudgedEnd, judgeAssist, judgeEnd } from "./judge.ts";
import { type AssistTask, assistanceHeld, guardMachine, releaseMachine, restoreMachine, tagMachine } from "./stages.ts";

/** Stages of beginning and ending an assistance; each uses its own. */
const stages = stageTable<"assisting", AssistTask>("assisting", {
  tag: tagMachine,
  guard: guardMachine,
  release: releaseMachine,
});

/** Fields that both changes share. */
const both = {
  workflow: "assisting",
  eventReason: "CasementAssisting",
  names: { plan: "judge", end: "end without a change" },
  subject: ({ chosen }: { readonly chosen: ChosenNode }) => ({ ...chosen, isRecovery: true }),
  finish: ({ summary }: AssistTask) => ({ summary }),
} as const;

/** `/win assist`: lets Casement guard, drain and reboot a node of another owner, after an approval. */
const begin: Change<AssistRequest, JudgedAssist, AssistTask> = {
  ...both,
  isFor: (request): request is AssistRequest => request.command === "assist" && !request.end,
  needsMachine: true,
  stages: () => stages.filter(({ name }) => name !== "release"),
  plan: (op) => judgeAssist(op, op.request.node),
  dryRun: ({ plan }) => assistDryRun(plan),
  effects: async (op, { chosen: { name } }) => {
    const { chosen, owner, plan } = await judgeAssist(op, name);
    const { uid, bootId, instanceId } = chosen;
    return {
      record: {
        action: "assist",
        options: { owner: `${owner.kind} ${owner.owner}` },
        nodes: [{ uid, bootId, instanceId }],
        losses: [],
        blockers: [],
      },
      pods: 0,
      card: assistPlanCard(plan),
    };
  },
  planAgain: (op, { chosen }) => judgeAssist(op, chosen.name),
  taskOf: (task: ChangeTask, judged) => ({ ...task, wanted: assistanceHeld(task, judged), summary: "" }),
  undo: restoreMachine,
  words: assistSummary,
};

/** `/win assist --end`: removes guard and tag, without an approval. */
const end: Change<AssistRequest, JudgedEnd, AssistTask> = {
  ...both,
  isFor: (request): request is AssistRequest => request.command === "assist" && request.end,
  stages: () => stages.filter(({ name }) => name === "release"),
  plan: (op) => judgeEnd(op, op.request.node),
  dryRun: ({ chosen }) => assistEndDryRun(chosen.name),
  taskOf: (task) => ({ ...task, wanted: null, summary: "" }),
  undo: () => assistLeaves.powerless,
  words: { cancelled: assistSummary.cancelled, failed: assistSummary.notEnded },
};

/** The changes that this function carries out. */
export const changes = [anyChange(begin), anyChange(end)];

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("assist-node", changing(...changes)));
