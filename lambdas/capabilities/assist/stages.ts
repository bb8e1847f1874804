import type { ChangeTask } from "../../change/change.ts";
import { isAgentSilent } from "../../change/node/agent.ts";
import { guardFault, guardFileFault } from "../../change/node/guard.ts";
import { observe } from "../../change/node/observe.ts";
import { readRoute, routeRequest } from "../../change/node/route.ts";
import { leaseOf, nodeOf, once, uncancellable, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { causeOf, done, MINUTE, pending, StageFailed } from "../../engine/durable.ts";
import { runScript } from "../../engine/run-script.ts";
import type { Assistance } from "../../machine/assistance.ts";
import type { RouteRequest, RouteResult } from "../../machine/plan.ts";
import { assistLeaves, assistSummary, tagToShow } from "../../messages/node/assist.ts";
import { nodeIsGone } from "../../messages/node/cordon.ts";
import { codeOf } from "../../records/failures.ts";
import { requesterOf } from "../../records/origin.ts";
import { TAG } from "../../tags.ts";
import type { JudgedAssist } from "./judge.ts";

/** Task of an assistance that begins or ends; its execution publishes its message. */
export interface AssistTask extends ChangeTask {
  /** Record of the assistance that begins; null if one ends. */
  readonly wanted: Omit<Assistance, "at" | "state"> | null;
  /** Summary for the message at the end. */
  summary: string;
}

/** Record of an approved assistance, without its state. */
export const assistanceHeld = (
  { op: { start }, approvedBy }: Pick<ChangeTask, "op" | "approvedBy">,
  { chosen, machine, owner }: Pick<JudgedAssist, "chosen" | "machine" | "owner">,
): NonNullable<AssistTask["wanted"]> => ({
  instanceId: machine.instanceId,
  launchedAt: machine.launchedAt,
  owner,
  node: chosen.name,
  operation: start.operation,
  askedBy: requesterOf(start)?.userId ?? null,
  approvedBy,
});

/** Time to remove the guard after an assistance that failed. */
const BACK_WITHIN_MS = 15 * MINUTE;

/** Minutes within which the machine must begin. */
const BEGIN_MINUTES = 5;

/** Seconds between two attempts to send, and their number: Systems Manager sees a new EC2 tag some seconds later. */
const PAUSE_SECONDS = 20;
const ATTEMPTS = 6;

/** Is it IAM's refusal? A new tag, on which the right depends, is not visible everywhere immediately. */
const isRefusal = (error: unknown): boolean => codeOf(causeOf(error)) === "aws-denied";

/** Records the approval, then sets the tag. Only both together give Casement the right to act. */
export async function tagMachine(task: AssistTask): Promise<void> {
  const { steps, wanted } = task;
  if (!wanted) throw new Error("an assistance that ends sets no tag");
  await once(task, "write the approval", async () => {
    await steps.machines.assistance.write({ ...wanted, state: "beginning", at: steps.timestamp() });
  });
  await once(task, "set the tag", async () => {
    await steps.instances.tagAssisted(leaseOf(task));
    const { operation, approvedBy } = wanted;
    await auditNode(task, "tag", {
      what: "changed",
      detail: { change: `set the tag ${TAG.managed}`, operation, approvedBy },
    });
  });
  await waitFor(task, "the tag is seen", async () => {
    const machine = await steps.instances.describe(wanted.instanceId);
    return machine && TAG.managed in machine.tags ? done(true) : pending(tagToShow);
  });
}

/** Runs `route.ps1`. @param name unique within the execution @throws StageFailed with the machine's error */
async function runRoute(task: AssistTask, action: RouteRequest["do"], name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(task, action, attempt === 1 ? name : `${name}, attempt ${attempt}`);
    } catch (error) {
      if (!isRefusal(error) || attempt === ATTEMPTS) throw error;
      await task.ctx.wait(`before ${name}, attempt ${attempt + 1}`, { seconds: PAUSE_SECONDS });
    }
  }
}

async function runOnce(task: AssistTask, action: RouteRequest["do"], name: string): Promise<void> {
  const { ctx, steps, operation, wait } = task;
  const request = await once(task, `request: ${name}`, async () =>
    routeRequest(action, operation, steps.now(), BEGIN_MINUTES),
  );
  const run = { held: leaseOf(task), name, wait };
  const result = await runScript<RouteResult>(ctx, steps, run, { script: "route", request });
  const reading = readRoute(result);
  if ("why" in reading) throw new StageFailed(reading.code ?? "script-failed", reading.why);
}

/** @throws StageFailed if the Node was deleted meanwhile: the approval covers only machines that are nodes of the cluster */
async function checkNode(task: AssistTask): Promise<void> {
  const { name, uid } = nodeOf(task);
  const node = await task.steps.nodes.read(name);
  if (node?.metadata?.uid !== uid) throw new StageFailed("node-deleted", nodeIsGone);
}

/** Installs the guard, verifies it as a reboot does, and only then puts the assistance into effect. */
export async function guardMachine(task: AssistTask): Promise<void> {
  const { steps, wanted } = task;
  if (!wanted) throw new Error("an assistance that ends installs no guard");
  await runRoute(task, "install", "install the guard");
  const seen = await observe(task, "verify the guard");
  const fault = guardFault(seen) ?? guardFileFault(seen, task.runtime.payload);
  if (fault) throw new StageFailed(fault.code, fault.why);
  await once(task, "the machine is assisted", async () => {
    await checkNode(task);
    await steps.machines.assistance.write({ ...wanted, state: "assisted", at: steps.timestamp() });
    await auditNode(task, "assisted", {
      what: "changed",
      detail: { change: "assist the machine", owner: wanted.owner.owner },
    });
  });
  task.summary = assistSummary.begun(nodeOf(task).name);
}

/** Revokes the assistance, then removes the guard and the tag, and last the record of the approval. */
export async function releaseMachine(task: AssistTask): Promise<void> {
  const { steps } = task;
  const lease = leaseOf(task);
  const { name } = nodeOf(task);
  await once(task, "take its power", async () => {
    const record = await steps.machines.assistance.of(lease.instanceId);
    if (record) await steps.machines.assistance.write({ ...record, state: "beginning" });
  });
  const isSilent = await once(task, "ask for the agent", () => isAgentSilent(steps, lease.instanceId));
  if (!isSilent) await runRoute(task, "remove", "remove the guard");
  await untag(task);
  task.summary = isSilent ? assistSummary.endedWithGuard(name) : assistSummary.ended(name);
}

/**
 * Removes the tag and the record of the approval. Observations of the reboot watch are deleted too, so that it reports
 * nothing old later.
 */
async function untag(task: AssistTask): Promise<void> {
  const { steps } = task;
  const lease = leaseOf(task);
  await once(task, "take the tag off", async () => {
    const machine = await steps.instances.describe(lease.instanceId);
    if (machine && TAG.managed in machine.tags) await steps.instances.untagAssisted(lease);
    await steps.machines.assistance.end(lease.instanceId);
    await steps.machines.seen.forget(lease.instanceId);
    await auditNode(task, "untag", { what: "changed", detail: { change: `take the tag ${TAG.managed} off` } });
  });
}

/** Removes the guard if it may have been installed. @returns the reason why it is still there; null if it is not */
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

/** Removes guard and tag after an assistance that failed. @returns the state that is left, as a clause */
export async function restoreMachine(task: AssistTask): Promise<string> {
  const why = await withoutGuard(task);
  try {
    await untag(task);
  } catch (error) {
    return assistLeaves.tag(causeOf(error).message);
  }
  return why === null ? assistLeaves.clean : assistLeaves.guard(why);
}
