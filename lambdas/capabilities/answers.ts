import type { LookName, Request } from "../commands/request.ts";
import { showAudit } from "./audit/show-audit.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { report } from "./doctor/report.ts";
import { watchingCredentials } from "./doctor/watch-credentials.ts";
import { describeNode, listNodes } from "./look/answer.ts";
import { type Look, type LookAnswers, lookBy, prompt } from "./look/look-by.ts";
import { listOperations } from "./look/operations.ts";
import { explainNode } from "./look/why.ts";

/** The answer to each look. */
export const lookAnswers: LookAnswers<LookName, Request> = {
  nodes: prompt(({ steps, begun }) => listNodes(steps, begun)),
  node: prompt(({ steps, request, begun }) => describeNode(steps, request.node, begun)),
  why: explainNode,
  operations: prompt(({ steps, begun }) => listOperations(steps, begun)),
  audit: prompt(({ steps, request }) => showAudit(steps, request)),
  doctor: async (look) => {
    const examined = await diagnose(look.steps, look.ctx, look.begun.runtimeVersion);
    return prompt(({ steps, begun }: Look<unknown>) => report(steps, examined, begun))(look);
  },
};

/** The workflow of every look, and of the schedule that watches the credentials. */
export const looks = watchingCredentials(lookBy(lookAnswers));
