import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { RIGHTS } from "../configuration/aliases.ts";
import { Refused } from "../errors.ts";
import type { RightsHolder } from "../steps/doctor/rights.ts";
import type { Workflow } from "../steps/host.ts";
import { promptStep } from "./prompt-step.ts";

/** Seconds for the checks of one function; each check has fewer. A look takes at most 20 in all. */
export const CHECKS = { seconds: 14, services: "S3" };

/** Asks a function to try its own rights instead of doing its work. */
export interface TryRights {
  readonly tryRights: true;
  /** Pool → image, for the dry run of a launch. */
  readonly images: Readonly<Record<string, string>>;
}

const asksToTry = (payload: object): payload is TryRights => "tryRights" in payload;

/**
 * Was the function invoked through the alias that only tries rights? Such a call does no work: otherwise a caller
 * allowed to ask for a function's rights could make the function use them. The context names the alias at an
 * execution's first invocation.
 */
const isForRights = ({ lambdaContext }: DurableContext): boolean =>
  lambdaContext.invokedFunctionArn.endsWith(`:${RIGHTS}`);

/**
 * Wraps a workflow so that it also reports its role's missing rights: no other function can try them without holding
 * the same rights.
 * @param name the function whose rights these are
 */
export const tryingRights =
  <Payload extends object>(name: RightsHolder, workflow: Workflow<Payload>): Workflow<Payload | TryRights> =>
  (steps) => {
    const work = workflow(steps);
    return async (payload, ctx) => {
      if (asksToTry(payload))
        return promptStep(ctx, "try own rights", CHECKS, () => steps.doctor.tryRights(name, payload.images));
      if (isForRights(ctx))
        throw new Refused(`${name} was invoked through the qualifier that may only check its permissions`);
      return work(payload, ctx);
    };
  };
