import { nodeOf, once, record } from "../../change/node/task.ts";
import { DeadlineExceeded, MachineEnded, MINUTE } from "../../engine/durable.ts";
import { roundSeconds } from "../../engine/run-script.ts";
import type { BootBefore } from "../../health/facts.ts";
import { machineToBoot } from "../../messages/node/reboot.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import { bootIdOf, isReady } from "../../steps/cluster/node-facts.ts";
import { askEc2, auditEc2Reboot, lateRebootOf } from "./ask-ec2.ts";
import { judgeBeforeReboot } from "./before.ts";
import { offerEc2Reboot } from "./late.ts";
import type { RebootTask } from "./task.ts";

/**
 * An agent that still ran when EC2 was asked may report once more until Windows has shut down: EC2 gives it four minutes (EC2
 * user guide, "Reboot your instance").
 */
const LAST_REPORT_MS = 5 * MINUTE;

/** Has EC2 reboot the machine, but not again where EC2's answer is unknown: the boot shows whether EC2 took the order. */
async function askOnce(task: RebootTask): Promise<void> {
  const { ec2Reboot: order } = await lateRebootOf(task);
  if (order && order.answer !== "refused") return auditEc2Reboot(task, order);
  await askEc2(task);
}

async function hasBooted({ steps, lease, node: of }: RebootTask, before: BootBefore): Promise<boolean> {
  const node = (await steps.nodes.read(of?.name ?? "")) ?? null;
  const now = bootIdOf(node);
  const isKnown = now !== null && before.bootId !== null;
  if (isKnown && now !== before.bootId) return true;
  // A kubelet that reports the boot before says that the machine has not booted; a silent one says nothing.
  if (isKnown && node !== null && isReady(node)) return false;
  const { online, lastPingAt } = await steps.health.agent(lease?.instanceId ?? "");
  return online && lastPingAt !== null && Date.parse(lastPingAt) > Date.parse(before.askedAt) + LAST_REPORT_MS;
}

/** Result of one look for the boot. */
interface Seen {
  readonly state: "booted" | "ended" | "late" | "waiting";
  /** End of the machine, or the answer of a service that was busy. */
  readonly why: string | null;
}

async function lookForBoot(task: RebootTask, before: BootBefore, callbackId: string): Promise<Seen> {
  const { steps, wait } = task;
  let why: string | null = null;
  try {
    if (await hasBooted(task, before)) return { state: "booted", why };
    const end = await wait.endOfMachine();
    if (end !== null) return { state: "ended", why: end };
    await record(task, { waitsFor: machineToBoot });
    await offerEc2Reboot(task, before.askedAt, callbackId);
  } catch (error) {
    if (!isBusy(error)) throw error;
    why = wordsOf(error);
  }
  return { state: steps.now() >= wait.until ? "late" : "waiting", why };
}

/** Waits until the machine has booted. A press of the button EC2 reboot wakes it. @throws DeadlineExceeded; MachineEnded */
async function awaitBoot(task: RebootTask, before: BootBefore): Promise<void> {
  for (let round = 1; ; round += 1) {
    const [pressed, callbackId] = await task.ctx.createCallback(`booted ${round}`, {
      timeout: { seconds: roundSeconds(round) },
    });
    const { state, why } = await once(task, `has it booted ${round}`, () => lookForBoot(task, before, callbackId));
    if (state === "booted") return;
    if (state === "ended") throw new MachineEnded(why ?? "");
    if (state === "late") throw new DeadlineExceeded(machineToBoot, why);
    await pressed.catch(() => undefined);
  }
}

/**
 * Has EC2 reboot a machine that takes no command, and waits until it has booted. EC2 takes the order at once and says nothing
 * of its end: the kubelet or the agent do. What it is then is the proof's to find out.
 */
export async function rebootThroughEc2(task: RebootTask): Promise<void> {
  const { steps } = task;
  const { name } = nodeOf(task);
  const before = await judgeBeforeReboot(task, async (): Promise<BootBefore> => {
    const node = (await steps.nodes.read(name)) ?? null;
    const askedAt = steps.timestamp();
    return { bootId: bootIdOf(node), bootedAt: askedAt, askedAt };
  });
  await once(task, "ask EC2 to reboot", () => askOnce(task));
  task.before = before;
  await awaitBoot(task, before);
}
