import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { Refused } from "../../errors.ts";
import { removeSummary } from "../../messages/endings.ts";
import { removalRefusal } from "../../messages/removal-refusal.ts";
import type { NodeChange } from "../../steps/ledger.ts";
import type { NodeRecord, Stage } from "../../records.ts";
import { podsToEvict } from "../../steps/evictions.ts";
import type { Lease } from "../../steps/leases.ts";
import type { Steps } from "../../steps/steps.ts";
import { type Bounds, Cancelled, causeOf, found, type Look, StageFailed, step, still, until } from "../durably.ts";
import type { Begun } from "../operation.ts";
import { type Published, postFirst, publish, viewOf } from "../publisher.ts";
import { type Chosen, choose } from "./choose.ts";

/** A removal on its way; its execution is the one publisher of its message. */
interface Removal {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly start: Start;
  readonly begun: Begun;
  readonly chosen: Chosen;
  readonly lease: Lease;
  published: Published;
  stage: Stage;
}

const INDEX = 0;
const MINUTE = 60_000;

/** Cordon, evict, terminate, delete: in this order, each told in the message; what fails before the end is put back. */
export async function takeOut(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  chosen: Chosen,
): Promise<void> {
  const lease = await step(ctx, "take the lease", () => takeLease(steps, start, begun, chosen));
  const published = await step(ctx, "post the message", () => begin(steps, start, begun, chosen));
  const removal: Removal = { ctx, steps, start, begun, chosen, lease, published, stage: "cordon" };
  try {
    await cordon(removal);
    await evict(removal);
    await terminate(removal);
    await enter(removal, "delete", () => steps.nodes.remove(chosen.name, chosen.uid));
    await finish(removal, "succeeded", null);
  } catch (error) {
    await putBack(removal, error);
  }
  await step(ctx, "release the lease", () => steps.leases.release(lease));
}

/** The world is judged again after the answer: minutes have passed. */
async function takeLease(steps: Steps, start: Start, begun: Begun, before: Chosen): Promise<Lease> {
  const now = await choose(steps, start, begun);
  if (now.refusal) throw new Refused(removalRefusal(now.refusal, begun.commandWord).why);
  if (now.uid !== before.uid) throw new Refused("the Node was deleted and made again since you were asked");
  return steps.leases.take(before.facts.instanceId, `${start.operation}:${INDEX}`);
}

async function begin(steps: Steps, start: Start, begun: Begun, { name, facts }: Chosen): Promise<Published> {
  const record: NodeRecord = {
    operation: start.operation,
    index: INDEX,
    status: "running",
    stage: "cordon",
    startedAt: steps.timestamp(),
    stageSince: steps.timestamp(),
    endedAt: null,
    instanceId: facts.instanceId,
    nodeName: name,
    waitsFor: null,
    failure: null,
    decideBy: null,
    outcome: null,
    notes: [],
    executionArn: null,
    callbacks: {},
  };
  await steps.ledger.beginNode(record);
  await steps.ledger.changeOperation(start.operation, { status: "running", callbacks: {} });
  return postFirst(steps, start.operation, null, begun.commandWord);
}

const record = ({ steps, start }: Removal, change: NodeChange): Promise<void> =>
  steps.ledger.changeNode(start.operation, INDEX, change);

async function tell(removal: Removal): Promise<Published> {
  const view = await viewOf(removal.steps, removal.start.operation, null);
  return view ? publish(removal.steps, view, removal.published, removal.begun.commandWord) : removal.published;
}

/** Goes to a stage unless somebody cancelled, does its work, and says so. */
async function enter(removal: Removal, stage: Stage, work: () => Promise<void>): Promise<void> {
  const { ctx, steps, start, chosen } = removal;
  removal.stage = stage;
  const entered = await step(ctx, `enter ${stage}`, async () => {
    const cancelledBy = (await steps.ledger.operation(start.operation))?.cancelledBy ?? null;
    if (cancelledBy !== null && !BEYOND_RETURN.has(stage)) return { cancelledBy, published: removal.published };
    await record(removal, { stage, stageSince: steps.timestamp(), waitsFor: null });
    if (stage !== "delete") {
      await steps.nodes.announce(
        { name: chosen.name, uid: chosen.uid },
        "Normal",
        "CasementRemoving",
        `stage ${stage} of ${start.operation}`,
      );
    }
    return { cancelledBy: null, published: await tell(removal) };
  });
  removal.published = entered.published;
  if (entered.cancelledBy !== null) throw new Cancelled(entered.cancelledBy);
  await step(ctx, stage, work);
}

/** Once terminate is called there is no way back: the rest is tidying up. */
const BEYOND_RETURN: ReadonlySet<Stage> = new Set(["delete"]);

const cordon = (removal: Removal): Promise<void> =>
  enter(removal, "cordon", () => removal.steps.nodes.setUnschedulable(removal.chosen.name, true));

/** One deadline for all evictions together; each look asks again for what is still there. */
async function evict(removal: Removal): Promise<void> {
  const { ctx, steps } = removal;
  await enter(removal, "evict", async () => undefined);
  const minutes = await deadline(removal, "evict");
  await until(ctx, "the pods have left", bounds(removal, minutes), () => evictOnce(removal));
  removal.published = await step(ctx, "tell that the pods have left", () => tell(removal));
  await step(ctx, "the pods have left for good", async () => {
    const rest = podsToEvict(await steps.nodes.podsOn(removal.chosen.name));
    if (rest.length > 0) throw new StageFailed(`${rest.length} pods came back: is the node still cordoned?`);
  });
}

async function evictOnce(removal: Removal): Promise<Look<true>> {
  const { steps, chosen, lease } = removal;
  await steps.leases.check(lease);
  const pods = podsToEvict(await steps.nodes.podsOn(chosen.name));
  const blocked: string[] = [];
  for (const pod of pods) {
    const answer = await steps.evictions.evict(pod);
    if (answer.state === "blocked") blocked.push(`${pod.metadata?.namespace}/${pod.metadata?.name}: ${answer.why}`);
  }
  if (pods.length === 0) return found(true);
  return still(
    blocked.length > 0 ? `budgets that block (${blocked.slice(0, 3).join("; ")})` : `${pods.length} pods to leave`,
  );
}

async function terminate(removal: Removal): Promise<void> {
  const { ctx, steps, lease } = removal;
  await enter(removal, "terminate", () => steps.instances.terminate(lease));
  const minutes = await deadline(removal, "terminate");
  await until(
    ctx,
    "the instance is terminated",
    { ...bounds(removal, minutes), cancelledBy: async () => null },
    async () => {
      const machine = await steps.instances.describe(lease.instanceId);
      return !machine || machine.state === "terminated" ? found(true) : still(`EC2 to terminate ${lease.instanceId}`);
    },
  );
}

/** When a stage that begins now must be over, in milliseconds since the epoch. */
const deadline = ({ ctx, steps, begun }: Removal, stage: "evict" | "terminate"): Promise<number> =>
  step(ctx, `deadline of ${stage}`, async () => {
    const { configuration } = await steps.runtime.read(begun.runtimeVersion);
    return steps.now() + configuration.deadlines[stage] * MINUTE;
  });

const bounds = (removal: Removal, untilMs: number): Bounds => ({
  until: untilMs,
  now: removal.steps.now,
  cancelledBy: async () => (await removal.steps.ledger.operation(removal.start.operation))?.cancelledBy ?? null,
  onWaiting: async (waitsFor) => {
    await record(removal, { waitsFor });
    await tell(removal);
  },
});

/** Before the instance is gone everything can be put back: the node is schedulable again if it was before. */
async function putBack(removal: Removal, error: unknown): Promise<void> {
  const { ctx, steps, chosen, stage } = removal;
  const cause = causeOf(error);
  const tooLate = stage === "terminate" || stage === "delete";
  const left = await step(ctx, "put back", async () => {
    if (tooLate) return `${chosen.facts.instanceId} was told to terminate; the Node is still there`;
    if (chosen.wasUnschedulable) return "the node is cordoned, as it was before";
    await steps.nodes.setUnschedulable(chosen.name, false);
    return "the node is schedulable again; pods that had left are elsewhere";
  });
  if (cause instanceof Cancelled) return finish(removal, "cancelled", left);
  await step(ctx, "failed", () => record(removal, { failure: { stage, why: cause.message, left } }));
  return finish(removal, "failed", left);
}

async function finish(
  removal: Removal,
  status: "succeeded" | "failed" | "cancelled",
  left: string | null,
): Promise<void> {
  const { ctx, steps, start, chosen } = removal;
  await step(ctx, "end", async () => {
    const endedAt = steps.timestamp();
    await record(removal, { status, waitsFor: null, endedAt, outcome: left });
    await steps.ledger.changeOperation(start.operation, {
      status,
      endedAt,
      callbacks: {},
      summary: removeSummary(chosen.name, status, left),
    });
    await tell(removal);
  });
}
