import {
  type BootNews,
  isSameBoot,
  judgeSighting,
  type OwnReboot,
  type SeenMachine,
  type Sighting,
  type SightingJudgement,
} from "../../machine/seen-machine.ts";
import { type StepContext, timestamp } from "../context.ts";
import { machinePart } from "./machine-part.ts";

/** A machine that was not seen for so long is gone, or is seen for the first time again. */
const KEPT_DAYS = 30;

/** A boot that Casement did not order, with the sighting that found it. */
export interface ForeignBoot extends Pick<Sighting, "instanceId" | "uid" | "launchedAt"> {
  readonly bootId: string;
  readonly news: BootNews;
}

/** The boot of a reboot that was proven, and what the machine said then. */
type ProvenBoot = Pick<SeenMachine, "instanceId" | "uid" | "bootId" | "reasons">;

/** The ledger's memory of machines between two looks: boots, and what waits for a reboot. */
export const seen = (context: StepContext) => {
  const sightings = machinePart(context, "seen", KEPT_DAYS);
  const reboots = machinePart(context, "ownReboot", KEPT_DAYS);

  return {
    /** Every machine that was seen in the last weeks, by instance id. */
    all: sightings.all,

    /** The last reboot of each machine that Casement ordered, by instance id. */
    ownReboots: reboots.all,

    /**
     * Writes down what a look has found; a boot that Casement did not order is written by `noteBoot`.
     * @throws Retryable when another look wrote at the same moment
     */
    note: async (sighting: Sighting, own: OwnReboot | undefined): Promise<SightingJudgement["change"]> => {
      const { instanceId, bootId } = sighting;
      let judged: SightingJudgement = { record: null, change: "none" };
      await sightings.revise(instanceId, (before) => {
        judged = judgeSighting(before, own, sighting, timestamp(context));
        return judged.record;
      });
      if (judged.change === "own" && own && own.bootId === null && bootId !== null)
        await reboots.revise(instanceId, () => ({ ...own, bootId }));
      return judged.change;
    },

    /** Writes down a boot that the channel is still to hear of; one that is known already is left as it is. */
    noteBoot: async ({ instanceId, uid, bootId, launchedAt, news }: ForeignBoot): Promise<void> => {
      await sightings.revise(instanceId, (before) =>
        before === undefined || before.uid !== uid || isSameBoot(before.bootId, bootId)
          ? null
          : { ...before, bootId, launchedAt, news },
      );
    },

    /** Clears the news of a machine once they are posted; those with another mark stay. */
    clearNews: async (instanceId: string, mark: string): Promise<void> => {
      await sightings.revise(instanceId, (before) => {
        if (before?.news?.mark !== mark) return null;
        const { news: _posted, ...rest } = before;
        return rest;
      });
    },

    /** Forgets a machine: the next look at it is its first. */
    forget: sightings.end,

    /** Writes, right before it, that an operation orders a reboot. A repeated call after the boot is known changes nothing. */
    noteOrder: async (instanceId: string, operation: string): Promise<void> => {
      await reboots.revise(instanceId, (before) =>
        before?.operation === operation && before.bootId === null
          ? null
          : { operation, at: timestamp(context), bootId: null },
      );
    },

    /**
     * Writes the boot that the reboot of an operation led to, and what waits for another one: any other boot is not Casement's, and the
     * list is right before the next look.
     */
    noteProof: async (operation: string, { instanceId, uid, bootId, reasons }: ProvenBoot): Promise<void> => {
      const now = timestamp(context);
      await reboots.revise(instanceId, (before) => ({ operation, at: before?.at ?? now, bootId }));
      await sightings.revise(instanceId, (before) =>
        before?.uid === uid
          ? { ...before, bootId, reasons, dueSince: reasons.length > 0 ? now : null, seenAt: now }
          : null,
      );
    },
  };
};
