import type { LookName, Request } from "../commands/command.ts";
import { diagnose } from "../workflows/doctor/diagnose.ts";
import { report } from "../workflows/doctor/report.ts";
import { watchingCredentials } from "../workflows/doctor/watch-credentials.ts";
import { describeNode, listNodes } from "../workflows/look/answer.ts";
import { showAudit } from "../workflows/look/audit.ts";
import { type Look, type LookAnswers, lookBy, prompt } from "../workflows/look/look-by.ts";
import { listOperations } from "../workflows/look/operations.ts";
import { explainNode } from "../workflows/look/why.ts";

/** The answer to each look. */
export const lookAnswers: LookAnswers<LookName, Request> = {
  nodes: prompt(({ steps, begun }) => listNodes(steps, begun)),
  node: prompt(({ steps, request, begun }) => describeNode(steps, request.node, begun)),
  why: ({ steps, ctx, start, request, begun }) => explainNode(steps, ctx, start, request.node, begun),
  operations: prompt(({ steps, begun }) => listOperations(steps, begun)),
  audit: prompt(({ steps, request }) => showAudit(steps, request)),
  doctor: async (look) => {
    const examined = await diagnose(look.steps, look.ctx, look.begun.runtimeVersion);
    return prompt(({ steps, begun }: Look<unknown>) => report(steps, examined, begun))(look);
  },
};

/** The workflow of every look, and of the schedule that watches the credentials. */
export const looks = watchingCredentials(lookBy(lookAnswers));
