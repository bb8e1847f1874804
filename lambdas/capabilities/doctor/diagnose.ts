import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { OperationSettings } from "../../change/operation/op.ts";
import { findReportedWaits } from "../../change/waits/find.ts";
import { causeOf } from "../../engine/durable.ts";
import { promptStep } from "../../engine/prompt-step.ts";
import { CHECKS, type TryRights } from "../../engine/trying-rights.ts";
import { doctorMessage, type Examination } from "../../messages/doctor/doctor.ts";
import type { Message } from "../../records/records.ts";
import { together } from "../../steps/doctor/doctor.ts";
import { isTried, type RightsHolder, rightsOf } from "../../steps/doctor/rights.ts";
import type { Steps } from "../../steps/steps.ts";

/** Seconds to resolve the images, before the functions that need them are invoked. */
const IMAGES = { seconds: 3, services: "SSM" };

/** Invokes a function to examine its own rights. A function that does not answer is a finding. */
async function asked(
  steps: Steps,
  ctx: DurableContext,
  name: RightsHolder,
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
 * Examines everything: this function's own view, and the rights of the functions that change something.
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

/**
 * Resolves the images for the dry runs. If that fails, the dry run of a launch is skipped, and the check of the images
 * reports why.
 */
const resolved = (steps: Steps, ctx: DurableContext, version: string): Promise<TryRights["images"]> =>
  promptStep(ctx, "resolve the images", IMAGES, async () =>
    steps.doctor.images((await steps.runtime.read(version)).configuration),
  ).catch(() => ({}));

/** Builds the answer to `/win doctor`. */
export async function report(steps: Steps, examined: Examination, settings: OperationSettings): Promise<Message> {
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const waits = await findReportedWaits(steps);
  return doctorMessage(examined, configuration.cluster.name, { waits, now: steps.timestamp() });
}
