import { LOOK_MINUTES, NOTED_AT_ONCE } from "../../change/fleet/observe-boots.ts";
import type { DurableSteps } from "../../change/operation/op.ts";
import { step } from "../../engine/durable.ts";
import type { FleetOutcome, LineReading } from "../../engine/fleet-batch.ts";
import { lookAtFleet } from "../../engine/run-fleet.ts";
import { type BootCause, bootCause } from "../../machine/boot-cause.ts";
import type { Answers, ObservationVerdict } from "../../machine/questions.ts";
import type { BootNews, SeenMachine, Sighting } from "../../machine/seen-machine.ts";
import { foreignBootsMessage, unreadLog } from "../../messages/node/boots.ts";
import type { Steps } from "../../steps/steps.ts";

/** Boot of a machine by its event log. */
type Told = Pick<BootNews, "cause" | "bootedAt">;

function readBoot(result: object, answers: Answers | undefined, now: number): LineReading<Told> {
  const { clock, failed } = result as ObservationVerdict;
  const boot = answers?.boot;
  if (!boot) return { why: failed?.boot ?? unreadLog.cut };
  const bootedAt = new Date(now - (clock * 1_000 - Date.parse(boot.bootedAt))).toISOString();
  return { value: { cause: bootCause(boot.events, Date.parse(boot.bootedAt)), bootedAt } };
}

/** A machine that EC2 stopped and started has a new time of launch; its log tells the rest. */
function newsOf(
  { launchedAt, reasons }: Sighting,
  before: SeenMachine | undefined,
  told: FleetOutcome<Told> | undefined,
): Told {
  const isStarted = before !== undefined && before.launchedAt !== launchedAt;
  const { cause, bootedAt }: Told =
    told?.state === "done" ? told.value : { cause: unread(reasons, told), bootedAt: null };
  return isStarted ? { cause: { kind: "ec2-start" }, bootedAt: bootedAt ?? launchedAt } : { cause, bootedAt };
}

const unread = (reasons: Sighting["reasons"], told: FleetOutcome<Told> | undefined): BootCause => ({
  kind: "unread",
  why: reasons === null || told?.state !== "failed" ? unreadLog.silent : told.why,
});

/**
 * Asks machines that booted without an order of Casement's for the cause, and writes down what the channel is to be told.
 * @param of machines that were looked at together
 */
export async function writeNews(
  { ctx, steps }: DurableSteps,
  owner: string,
  foreign: readonly Sighting[],
  of: number,
): Promise<void> {
  if (foreign.length === 0) return;
  const answering = foreign.filter(({ reasons }) => reasons !== null);
  const request = { questions: { boot: true }, whole: true } as const;
  const told = await lookAtFleet<Told>(
    ctx,
    steps,
    "observe",
    answering.map(({ instanceId }) => ({ instanceId, request })),
    {
      ...{ owner, name: "causes", minutes: LOOK_MINUTES, cancelledBy: async () => null },
      read: (result, answers) => readBoot(result, answers, steps.now()),
    },
  );
  for (let from = 0; from < foreign.length; from += NOTED_AT_ONCE) {
    const some = foreign.slice(from, from + NOTED_AT_ONCE);
    await step(ctx, `write down boots from ${from + 1}`, async () => {
      const before = await steps.machines.seen.all();
      for (const { bootId, ...machine } of some)
        if (bootId !== null) {
          const news = newsOf({ bootId, ...machine }, before.get(machine.instanceId), told.get(machine.instanceId));
          await steps.machines.seen.noteBoot({ ...machine, bootId, news: { ...news, mark: owner, of } });
        }
    });
  }
}

/**
 * Tells the channel of boots that are written down and were not told yet, those of one look in one message. A look that died before is made
 * up for: the mark finds a message that was posted. Belongs into a step.
 */
export async function tellNews(steps: Steps): Promise<void> {
  const untold = [...(await steps.machines.seen.all()).values()].filter(({ news }) => news !== undefined);
  if (untold.length === 0) return;
  const { slack } = await steps.runtime.rules();
  for (const [mark, machines] of Map.groupBy(untold, ({ news }) => news?.mark ?? "")) {
    const boots = machines.flatMap(({ node, news }) => (news ? [{ node, ...news }] : []));
    await steps.thread.post(slack.channel, foreignBootsMessage(boots), mark);
    for (const { instanceId } of machines) await steps.machines.seen.clearNews(instanceId, mark);
  }
}
