import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { RIGHTS } from "../../aliases.ts";
import { Refused } from "../../errors.ts";
import type { Examination } from "../../messages/doctor/doctor.ts";
import { together } from "../../steps/doctor/doctor.ts";
import { isTried, rightsOf, type Tried } from "../../steps/doctor/rights.ts";
import type { Workflow } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { causeOf } from "../engine/durable.ts";
import { promptStep } from "../engine/prompt-step.ts";

/** Seconds for the checks of one function; each check has fewer. A look takes at most 20 in all. */
const CHECKS = { seconds: 14, services: "S3" };

/** Seconds to resolve the images, before the functions that need them are asked. */
const IMAGES = { seconds: 3, services: "SSM" };

/** Asks a function to try its own rights instead of doing its work. */
export interface TryRights {
  readonly tryRights: true;
  /** Pool → image, for the dry run of a launch. */
  readonly images: Readonly<Record<string, string>>;
}

const asksToTry = (payload: object): payload is TryRights => "tryRights" in payload;

/**
 * A call by the alias that tries rights does no work: otherwise a caller allowed to ask for a function's rights could make
 * the function use them. The context names the alias at an execution's first invocation.
 */
const isForRights = ({ lambdaContext }: DurableContext): boolean =>
  lambdaContext.invokedFunctionArn.endsWith(`:${RIGHTS}`);

/**
 * Wraps a workflow so that it also reports its role's missing rights: no other function can try them without holding the
 * same rights.
 * @param name the function whose rights these are
 */
export const tryingRights =
  <Payload extends object>(name: Tried, workflow: Workflow<Payload>): Workflow<Payload | TryRights> =>
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

/** One function's own examination; one that does not answer is a finding. */
async function asked(
  steps: Steps,
  ctx: DurableContext,
  name: Tried,
  images: TryRights["images"],
): Promise<Examination> {
  try {
    const payload: TryRights = { tryRights: true, images };
    return await ctx.invoke<TryRights, Examination>(`ask ${name}`, steps.executions.nameOf(name), payload);
  } catch (error) {
    const why = causeOf(error).message;
    return {
      findings: [{ kind: "no-answer", area: "AWS", what: `the rights of ${name}`, why }],
      looked: 1,
      skipped: [],
    };
  }
}

/**
 * Examines everything: what this function sees, and what the functions that change something may do.
 * @param version of the release document
 */
export async function diagnose(steps: Steps, ctx: DurableContext, version: string): Promise<Examination> {
  const names = Object.keys(rightsOf).filter(isTried);
  const rights = async (): Promise<Examination[]> => {
    const images = await resolved(steps, ctx, version);
    return Promise.all(names.map((name) => asked(steps, ctx, name, images)));
  };
  const own = promptStep(ctx, "examine", CHECKS, async () =>
    steps.doctor.examine(await steps.runtime.read(version), "look"),
  );
  const [mine, theirs] = await Promise.all([own, rights()]);
  return together([mine, ...theirs]);
}

/** Images for the dry runs; without them there is no dry run of a launch, and the check of the images says why. */
const resolved = (steps: Steps, ctx: DurableContext, version: string): Promise<TryRights["images"]> =>
  promptStep(ctx, "resolve the images", IMAGES, async () =>
    steps.doctor.images((await steps.runtime.read(version)).configuration),
  ).catch(() => ({}));
