import { NOTED_AT_ONCE, OBSERVE_MINUTES } from "../../change/fleet/observe-boots.ts";
import type { DurableSteps } from "../../change/operation/op.ts";
import { step } from "../../engine/durable.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import type { FleetOutcome } from "../../engine/fleet-outcome.ts";
import { observeFleet } from "../../engine/run-fleet.ts";
import { type BootCause, bootCause } from "../../machine/boot-cause.ts";
import type { Answers, ObservationVerdict } from "../../machine/questions.ts";
import type { BootNews, SeenMachine, Sighting } from "../../machine/seen-machine.ts";
import { foreignBootsMessage, unreadLog } from "../../messages/node/boots.ts";
import type { Steps } from "../../steps/steps.ts";

/** Boot of a machine, by its event log. */
type ObservedBoot = Pick<BootNews, "cause" | "bootedAt">;

function readBoot(result: object, answers: Answers | undefined, now: number): LineReading<ObservedBoot> {
  const { clock, failed } = result as ObservationVerdict;
  const boot = answers?.boot;
  if (!boot) return { why: failed?.boot ?? unreadLog.cut };
  const bootedAt = new Date(now - (clock * 1_000 - Date.parse(boot.bootedAt))).toISOString();
  return { value: { cause: bootCause(boot.events, Date.parse(boot.bootedAt)), bootedAt } };
}

/**
 * Explains a boot: a new launch time means that EC2 stopped and started the machine; otherwise its event log has the
 * cause.
 */
function newsOf(
  { launchedAt }: Sighting,
  before: SeenMachine | undefined,
  told: FleetOutcome<ObservedBoot> | undefined,
): ObservedBoot {
  const isStarted = before !== undefined && before.launchedAt !== launchedAt;
  const { cause, bootedAt }: ObservedBoot =
    told?.state === "done" ? told.value : { cause: unread(told), bootedAt: null };
  return isStarted ? { cause: { kind: "ec2-start" }, bootedAt: bootedAt ?? launchedAt } : { cause, bootedAt };
}

/** A machine that did not answer the look before was not asked. */
const unread = (told: FleetOutcome<ObservedBoot> | undefined): BootCause => ({
  kind: "unread",
  why: told?.state === "failed" ? told.why : unreadLog.silent,
});

/**
 * Asks machines that Casement did not order to boot for the cause, and records the news for the channel.
 * @param of number of machines that were observed together
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
  const told = await observeFleet<ObservedBoot>(
    ctx,
    steps,
    answering.map(({ instanceId }) => ({ instanceId, request })),
    {
      ...{ owner, name: "causes", minutes: OBSERVE_MINUTES, cancelledBy: async () => null },
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
 * Posts the recorded boots that were not posted yet, those of one tick in one message. It also completes a tick that
 * died after posting: the mark finds the posted message. Call inside a step.
 */
export async function postNews(steps: Steps): Promise<void> {
  const untold = [...(await steps.machines.seen.all()).values()].filter(({ news }) => news !== undefined);
  if (untold.length === 0) return;
  const { slack } = await steps.runtime.rules();
  for (const [mark, machines] of Map.groupBy(untold, ({ news }) => news?.mark ?? "")) {
    const boots = machines.flatMap(({ node, news }) => (news ? [{ node, ...news }] : []));
    await steps.thread.post(slack.channel, foreignBootsMessage(boots), mark);
    for (const { instanceId } of machines) await steps.machines.seen.clearNews(instanceId, mark);
  }
}
