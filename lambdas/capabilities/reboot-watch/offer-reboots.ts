import type { SeenMachine } from "../../machine/seen-machine.ts";
import type { MachineInputs } from "../../records/machine-record.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import type { ClusterMachines } from "./cluster-machines.ts";
import { proxyOfferMessage } from "./messages.ts";

/** A machine on which the cluster's proxy is written and not in force. */
interface Pending {
  readonly seen: SeenMachine;
  /** Identity of the written content. */
  readonly content: string;
}

function pendingOf(
  seen: ReadonlyMap<string, SeenMachine>,
  given: ReadonlyMap<string, MachineInputs>,
): readonly Pending[] {
  return [...seen.values()].flatMap((one) => {
    const content = given.get(one.instanceId)?.proxy?.sha256;
    return content !== undefined && one.reasons.includes("proxy") ? [{ seen: one, content }] : [];
  });
}

/**
 * Offers, once for each pool and content, the reboot that brings a written proxy in force. Call inside a step.
 */
export async function offerReboots(steps: Steps, { configuration, own }: ClusterMachines): Promise<void> {
  const [seen, given] = await Promise.all([steps.machines.seen.all(), steps.machines.given.all()]);
  const nameOf = ({ seen: { instanceId } }: Pending): string => poolOf(own.get(instanceId)) ?? "";
  const pending = pendingOf(seen, given).filter((one) => nameOf(one) !== "");
  for (const [key, nodes] of Map.groupBy(pending, (one) => `${nameOf(one)} ${one.content}`)) {
    const [pool = ""] = key.split(" ");
    const open = nodes.filter(({ seen: { offered }, content }) => offered !== content);
    if (open.length === nodes.length) {
      const names = nodes.map(({ seen: { node } }) => node);
      await steps.thread.post(configuration.slack.channel, proxyOfferMessage(pool, names), `proxy ${key}`);
    }
    for (const { seen: machine, content } of open) await steps.machines.seen.noteOffer(machine.instanceId, content);
  }
}
