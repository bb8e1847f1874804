import type { SeenMarks } from "../../cluster/deletion-marks.ts";
import { isSameBoot } from "../../machine/boots.ts";
import {
  afterProof,
  type BootNews,
  judgeSighting,
  type OwnReboot,
  type ProvenSighting,
  type SeenMachine,
  type Sighting,
  type SightingJudgement,
  withPostedTrouble,
} from "../../machine/seen-machine.ts";
import { type StepContext, timestamp } from "../context.ts";
import { machineAttribute } from "./machine-attribute.ts";

/** Days after its last observation until a machine's record expires; a later observation is treated as its first. */
const KEPT_DAYS = 30;

/** A boot that Casement did not order, with the sighting that found it. */
export interface ForeignBoot extends Pick<Sighting, "instanceId" | "uid" | "launchedAt"> {
  readonly bootId: string;
  readonly news: BootNews;
}

/** The boot after a proven reboot, and the machine's answer at that time. */
type ProvenBoot = Pick<SeenMachine, "instanceId" | "uid"> & ProvenSighting;

const marksOn = (seen: SeenMachine | undefined, uid: string): SeenMarks =>
  seen?.uid === uid ? (seen.marks ?? {}) : {};

/** The state of machines between two observations: their boots, and the reasons why they need a reboot. */
export const seen = (context: StepContext) => {
  const sightings = machineAttribute(context, "seen", KEPT_DAYS);
  const reboots = machineAttribute(context, "ownReboot", KEPT_DAYS);

  return {
    /** Every machine that was observed in the last weeks, by instance id. */
    all: sightings.all,

    /** Marks of autoscalers and of WMCO that observations have found on the Node of this UID, by the time of the first one. */
    marks: async (instanceId: string, uid: string): Promise<SeenMarks> => {
      const seen = context.together ? (await sightings.all()).get(instanceId) : await sightings.of(instanceId);
      return marksOn(seen, uid);
    },

    /** The last reboot of each machine that Casement ordered, by instance id. */
    ownReboots: reboots.all,

    /**
     * Records an observation; `noteBoot` records a boot that Casement did not order.
     * @throws Retryable if another observation was written at the same time
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

    /** Records a boot that must be posted in the channel; a known boot stays unchanged. */
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

    /** Records the content for which the machine's reboot was offered. */
    noteOffer: async (instanceId: string, content: string): Promise<void> => {
      await sightings.revise(instanceId, (before) =>
        before === undefined || before.offered === content ? null : { ...before, offered: content },
      );
    },

    /** Records that a trouble of the machine, or its end, was posted. @param name as `troubleName` has it */
    notePosted: async (instanceId: string, name: string, ts: string): Promise<void> => {
      await sightings.revise(instanceId, (before) => (before ? withPostedTrouble(before, name, ts) : null));
    },

    /** Forgets a machine, so that its next observation is its first. */
    forget: sightings.end,

    /**
     * Records that an operation is about to order a reboot. A repeated call before its boot is known changes nothing.
     */
    noteOrder: async (instanceId: string, operation: string): Promise<void> => {
      await reboots.revise(instanceId, (before) =>
        before?.operation === operation && before.bootId === null
          ? null
          : { operation, at: timestamp(context), bootId: null },
      );
    },

    /** Records the reasons for a reboot that a restart of services has left, so that lists are right before the next observation. */
    noteReasons: async ({ instanceId, uid, reasons }: Omit<ProvenBoot, "bootId">): Promise<void> => {
      await sightings.revise(instanceId, (before) =>
        before?.uid === uid ? { ...before, reasons, dueSince: reasons.length > 0 ? before.dueSince : null } : null,
      );
    },

    /**
     * Records the boot after an operation's proven reboot, and the reasons for another one: any other boot is not
     * Casement's, and lists are right before the next observation.
     */
    noteProof: async (operation: string, { instanceId, uid, ...proven }: ProvenBoot): Promise<void> => {
      const now = timestamp(context);
      await reboots.revise(instanceId, (before) => ({ operation, at: before?.at ?? now, bootId: proven.bootId }));
      await sightings.revise(instanceId, (before) => (before?.uid === uid ? afterProof(before, proven, now) : null));
    },
  };
};
