import { nodeOf, once, record } from "../../change/node/task.ts";
import { DeadlineExceeded, MachineEnded, MINUTE } from "../../engine/durable.ts";
import { roundSeconds } from "../../engine/run-script.ts";
import type { BootBefore } from "../../health/facts.ts";
import { isSameBoot } from "../../machine/boots.ts";
import { machineToBoot } from "../../messages/node/reboot.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import { bootIdOf, isReady } from "../../steps/cluster/node-facts.ts";
import { askEc2, auditEc2Reboot, lateRebootOf } from "./ask-ec2.ts";
import { judgeBeforeReboot } from "./before.ts";
import { offerEc2Reboot } from "./late.ts";
import type { RebootTask } from "./task.ts";

/**
 * An agent that was running at the order may report once more before Windows has shut down: EC2 waits up to four
 * minutes for that (EC2 user guide, "Reboot your instance").
 */
const LAST_REPORT_MS = 5 * MINUTE;

/**
 * Orders the EC2 reboot, unless an earlier order was accepted or its answer is unknown: the boot then shows whether EC2
 * took that order.
 */
async function askOnce(task: RebootTask): Promise<void> {
  const { ec2Reboot: order } = await lateRebootOf(task);
  if (order && order.answer !== "refused") return auditEc2Reboot(task, order);
  await askEc2(task);
}

async function hasBooted({ steps, lease, node: of }: RebootTask, before: BootBefore): Promise<boolean> {
  const node = (await steps.nodes.read(of?.name ?? "")) ?? null;
  const now = bootIdOf(node);
  const isKnown = now !== null && before.bootId !== null;
  if (isKnown && !isSameBoot(now, before.bootId)) return true;
  // A Ready kubelet with the old boot id proves that the machine has not booted. A silent kubelet proves nothing.
  if (isKnown && node !== null && isReady(node)) return false;
  const { online, lastPingAt } = await steps.health.agent(lease?.instanceId ?? "");
  return online && lastPingAt !== null && Date.parse(lastPingAt) > Date.parse(before.askedAt) + LAST_REPORT_MS;
}

/** Result of one poll for the boot. */
interface BootPoll {
  readonly state: "booted" | "ended" | "late" | "waiting";
  /** Reason for the machine's end, or the error of a busy service. */
  readonly why: string | null;
}

async function pollForBoot(task: RebootTask, before: BootBefore, callbackId: string): Promise<BootPoll> {
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

/**
 * Waits until the machine has booted. A press of the button "EC2 reboot" ends a poll's pause early.
 * @throws DeadlineExceeded; MachineEnded
 */
async function awaitBoot(task: RebootTask, before: BootBefore): Promise<void> {
  for (let round = 1; ; round += 1) {
    const [pressed, callbackId] = await task.ctx.createCallback(`booted ${round}`, {
      timeout: { seconds: roundSeconds(round) },
    });
    const { state, why } = await once(task, `has it booted ${round}`, () => pollForBoot(task, before, callbackId));
    if (state === "booted") return;
    if (state === "ended") throw new MachineEnded(why ?? "");
    if (state === "late") throw new DeadlineExceeded(machineToBoot, why);
    await pressed.catch(() => undefined);
  }
}

/**
 * Reboots through EC2 a machine that takes no SSM command, and waits until it has booted. EC2 accepts the order
 * immediately and does not report the end of the reboot, so the boot is read from the kubelet or the SSM agent. The
 * proof then judges the machine.
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
