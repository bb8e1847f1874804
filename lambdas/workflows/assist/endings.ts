import { assistLeaves, assistSummary } from "../../messages/node/assist.ts";
import { Cancelled, causeOf, reasonOf } from "../engine/durable.ts";
import { isAgentSilent } from "../node/agent.ts";
import { endOnOneNode } from "../node/end.ts";
import { leaseOf, once, uncancellable } from "../node/task.ts";
import { BACK_WITHIN_MS, runRoute, untag } from "./stages.ts";
import type { AssistTask } from "./task.ts";

/** Takes the guard away from a machine where it may have been installed. @returns why not, null where it is gone */
async function withoutGuard(task: AssistTask): Promise<string | null> {
  if (task.stage !== "guard") return null;
  try {
    const until = await once(task, "put back until", async () => task.steps.now() + BACK_WITHIN_MS);
    const { instanceId } = leaseOf(task);
    if (await once(task, "does the agent answer", () => isAgentSilent(task.steps, instanceId)))
      return "its SSM agent does not answer";
    await runRoute({ ...task, wait: uncancellable(task, until) }, "remove", "take the guard away again");
    return null;
  } catch (error) {
    return causeOf(error).message;
  }
}

/** Takes away what an assistance that did not succeed has left. @returns the state that is left, as a clause */
async function putBack(task: AssistTask): Promise<string> {
  const why = await withoutGuard(task);
  try {
    await untag(task);
  } catch (error) {
    return assistLeaves.tag(causeOf(error).message);
  }
  return why === null ? assistLeaves.clean : assistLeaves.guard(why);
}

/** Ends an assistance that failed or was cancelled: nothing of it stays. One that could not be ended has no power any more. */
export async function endUnassisted(task: AssistTask, error: unknown): Promise<void> {
  const { stage, wanted } = task;
  const cause = causeOf(error);
  const left = wanted ? await putBack(task) : assistLeaves.powerless;
  if (cause instanceof Cancelled) return endOnOneNode(task, { status: "cancelled" }, assistSummary.cancelled(left));
  const failure = { stage, ...reasonOf(cause), left };
  const summary = wanted ? assistSummary.failed(left) : assistSummary.notEnded(left);
  return endOnOneNode(task, { status: "failed", failure }, summary);
}
