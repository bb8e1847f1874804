import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { LookName, Request, Start } from "../commands/command.ts";
import { UserError } from "../errors.ts";
import { doctorMessage, type Examination } from "../messages/doctor/doctor.ts";
import type { Message } from "../records.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { watchingCredentials } from "./doctor/watch-credentials.ts";
import { step } from "./engine/durable.ts";
import { promptStep } from "./engine/prompt-step.ts";
import { describeNode, listNodes } from "./look/answer.ts";
import { showAudit } from "./look/audit.ts";
import { failLook } from "./look/fail.ts";
import { listOperations } from "./look/operations.ts";
import { explainNode } from "./look/why.ts";
import { beginOperation, tellRequester } from "./operation/lifecycle.ts";
import type { OperationSettings } from "./operation/op.ts";

/** Seconds to read the configuration and to check the requester. A look takes at most 20 in all. */
const BEGIN = { seconds: 5, services: "S3 or DynamoDB" };

/** Seconds for the answer; each service has fewer, so that the answer says which one is away. */
const LOOK = { seconds: 11, services: "S3 or DynamoDB" };

/** A look under way: its request, and the steps by which it is answered. */
interface Look<Asked> {
  readonly steps: Steps;
  readonly ctx: DurableContext;
  readonly start: Start;
  readonly request: Asked;
  readonly begun: OperationSettings;
}

type Answer<Asked> = (look: Look<Asked>) => Promise<Message>;

/** Answers by the name of the command; a look without one does not compile. */
export type Answers<Name extends string, Asked extends { readonly command: string }> = {
  readonly [One in Name]: Answer<Extract<Asked, { readonly command: One }>>;
};

async function report(steps: Steps, examined: Examination, begun: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  return doctorMessage(examined, configuration.cluster.name);
}

/** Makes an answer that is read in one step. */
const prompt =
  <Asked>(read: Answer<Asked>): Answer<Asked> =>
  (look) =>
    promptStep(look.ctx, "look", LOOK, () => read(look));

/** The answer to each look. */
export const answers: Answers<LookName, Request> = {
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

/** Makes the workflow of looks from their answers: each reads, and tells the requester alone. */
export const lookBy =
  (known: Readonly<Record<string, Answer<never>>>) =>
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    try {
      const begun = await promptStep(ctx, "begin", BEGIN, () => beginOperation({ ctx, steps, start }));
      if (!begun) return;
      const { request } = start;
      const answer = known[request.command];
      if (!answer) throw new UserError(`${request.command} cannot be shown.`);
      const told = await answer({ steps, ctx, start, request: request as never, begun });
      await step(ctx, "tell", () => tellRequester({ ctx, steps, start }, told));
      const end = { status: "succeeded", summary: "" } as const;
      await step(ctx, "end", () =>
        steps.ledger.changeOperation(start.operation, { ...end, endedAt: steps.timestamp() }),
      );
    } catch (error) {
      await failLook(steps, ctx, start, error);
    }
  };

/** `/win nodes`, `/win node`, `/win why`, `/win operations`, `/win audit`, `/win doctor`: reads, and tells the requester alone; watches by schedule. */
export const look = watchingCredentials(lookBy(answers));

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(look);
