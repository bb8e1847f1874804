import type { LookName, Request } from "../commands/request.ts";
import { showAudit } from "./audit/show-audit.ts";
import { diagnose, report } from "./doctor/diagnose.ts";
import { watchingCredentials } from "./doctor/watch-credentials.ts";
import { describeNode, listNodes } from "./look/answer.ts";
import { type Look, type LookAnswers, lookBy, prompt } from "./look/look-by.ts";
import { listOperations } from "./look/operations.ts";
import { explainNode } from "./look/why.ts";
import { showMirrors } from "./mirrors/show-mirrors.ts";
import { showProxy } from "./proxy/show-proxy.ts";
import { showAuthorities } from "./trust/show-authorities.ts";

/** Answer of each look. */
export const lookAnswers: LookAnswers<LookName, Request> = {
  nodes: prompt(({ steps, request, settings }) => listNodes(steps, request, settings)),
  node: prompt(({ steps, request, settings }) => describeNode(steps, request.node, settings)),
  why: explainNode,
  operations: prompt(({ steps, settings }) => listOperations(steps, settings)),
  audit: prompt(({ steps, request }) => showAudit(steps, request)),
  mirrors: prompt(({ steps, request, settings }) => showMirrors(steps, request, settings)),
  proxy: prompt(({ steps, settings }) => showProxy(steps, settings)),
  authorities: prompt(({ steps, settings }) => showAuthorities(steps, settings)),
  doctor: async (look) => {
    const examined = await diagnose(look.steps, look.ctx, look.settings.runtimeVersion);
    return prompt(({ steps, settings }: Look<unknown>) => report(steps, examined, settings))(look);
  },
};

/** Workflow of every look, and of the schedule that watches the credentials. */
export const looks = watchingCredentials(lookBy(lookAnswers));
