import {
  type BootNews,
  isSameBoot,
  type Judged,
  judgeSighting,
  type OwnReboot,
  type SeenMachine,
  type Sighting,
} from "../../desired/seen-machine.ts";
import { EXPIRES, keys, OWN_REBOOTS, SEEN_MACHINES } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { table } from "./table.ts";

/** A machine that was not seen for so long is gone, or is seen for the first time again. */
const KEPT_DAYS = 30;

/** A boot that is to be told, with the sighting that found it. */
export interface ForeignBoot extends Pick<Sighting, "instanceId" | "uid" | "launchedAt"> {
  readonly bootId: string;
  readonly news: BootNews;
}

/** The boot of a reboot that was proven, and what the machine said then. */
type ProvenBoot = Pick<SeenMachine, "instanceId" | "uid" | "bootId" | "reasons">;

/** The ledger's memory of machines between two looks: boots, and what waits for a reboot. */
export const seenMachines = (context: StepContext) => {
  const items = table(context);
  const kept = <T extends object>(item: T): T => ({ ...item, [EXPIRES]: expiryAfter(timestamp(context), KEPT_DAYS) });

  const order = async (instanceId: string, own: OwnReboot): Promise<void> => {
    await items.revise<OwnReboot>(keys.ownReboot(instanceId), () => kept(own));
  };

  return {
    /** Every machine that was seen in the last weeks. */
    all: (): Promise<SeenMachine[]> => items.partition<SeenMachine>(SEEN_MACHINES),

    /** The last reboot of each machine that Casement ordered, by instance id. */
    ownReboots: async (): Promise<ReadonlyMap<string, OwnReboot>> => {
      const found = await items.partition<OwnReboot & { readonly sk: string }>(OWN_REBOOTS);
      return new Map(found.map(({ sk, ...own }) => [sk, own]));
    },

    /**
     * Writes down what a look has found; a boot that Casement did not order is written by `tell`.
     * @throws Retryable when another look wrote at the same moment
     */
    note: async (sighting: Sighting, own: OwnReboot | undefined): Promise<Judged["change"]> => {
      let judged: Judged = { record: null, change: "none" };
      await items.revise<SeenMachine>(keys.seenMachine(sighting.instanceId), (before) => {
        judged = judgeSighting(before, own, sighting, timestamp(context));
        return judged.record && kept(judged.record);
      });
      if (judged.change === "own" && own && own.bootId === null && sighting.bootId !== null)
        await order(sighting.instanceId, { ...own, bootId: sighting.bootId });
      return judged.change;
    },

    /** Writes down a boot of which the channel is to be told; one that is known already is left as it is. */
    tell: async ({ instanceId, uid, bootId, launchedAt, news }: ForeignBoot): Promise<void> => {
      await items.revise<SeenMachine>(keys.seenMachine(instanceId), (before) =>
        before === undefined || before.uid !== uid || isSameBoot(before.bootId, bootId)
          ? null
          : kept({ ...before, bootId, launchedAt, news }),
      );
    },

    /** Ends the news of a machine once the channel was told. */
    told: async (instanceId: string, mark: string): Promise<void> => {
      await items.revise<SeenMachine>(keys.seenMachine(instanceId), (before) => {
        if (before?.news?.mark !== mark) return null;
        const { news: _told, ...rest } = before;
        return rest;
      });
    },

    /** Forgets a machine: the next look at it is its first. */
    forget: async (instanceId: string): Promise<void> => {
      const over = Math.floor(context.now() / 1_000);
      await items.revise<SeenMachine>(keys.seenMachine(instanceId), (before) =>
        before ? { ...before, [EXPIRES]: over } : null,
      );
    },

    /** Writes, right before it, that an operation orders a reboot. A repeated call after the boot is known changes nothing. */
    ordered: async (instanceId: string, operation: string): Promise<void> => {
      await items.revise<OwnReboot>(keys.ownReboot(instanceId), (before) =>
        before?.operation === operation && before.bootId === null
          ? null
          : kept({ operation, at: timestamp(context), bootId: null }),
      );
    },

    /**
     * Writes the boot that the reboot of an operation led to, and what waits for another one: any other boot is not Casement's, and the
     * list is right before the next look.
     */
    proven: async (operation: string, { instanceId, uid, bootId, reasons }: ProvenBoot): Promise<void> => {
      const now = timestamp(context);
      await items.revise<OwnReboot>(keys.ownReboot(instanceId), (before) =>
        kept({ operation, at: before?.at ?? now, bootId }),
      );
      await items.revise<SeenMachine>(keys.seenMachine(instanceId), (before) =>
        before?.uid === uid
          ? kept({ ...before, bootId, reasons, dueSince: reasons.length > 0 ? now : null, seenAt: now })
          : null,
      );
    },
  };
};
