import type { AcceptedRequest } from "../../records/accepted.ts";
import { doorPartition, EXPIRES, keys, operationPartition } from "../../records/ledger-table.ts";
import type { WaitPress } from "../../records/reminders.ts";
import { OPERATION_DAYS } from "../../records/retention.ts";
import type { SteeringDecision } from "../../records/steering.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** Days for which a press of **I have it** is stored: it silences reminders for an hour. */
const PRESS_DAYS = 2;

/** People's requests, in partitions that only the front door writes. */
export const acceptedRequests = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const accepted = (operation: string): Promise<AcceptedRequest | undefined> =>
    items.read<AcceptedRequest>(keys.accepted(operation));

  /** Expiry of an item, no earlier than that of the operation's record: nobody else may change the item later. */
  const expiry = () => ({
    [EXPIRES]: expiryAfter(timestamp(context), context.settings.retentionDays + OPERATION_DAYS),
  });

  return {
    accepted,
    expiry,

    /**
     * Records a person's request; a repeated delivery leaves the first record unchanged.
     * @returns the request that is recorded
     */
    keepAccepted: async (operation: string, request: AcceptedRequest): Promise<AcceptedRequest> => {
      const written = await items.insert(keys.accepted(operation), { ...request, ...expiry() });
      return written === "first" ? request : ((await accepted(operation)) ?? request);
    },

    /** Records that the front door has opened a dialog about an operation. */
    keepDialog: (operation: string, viewId: string): Promise<void> =>
      items.replace(keys.dialog(operation, viewId), { openedAt: timestamp(context), ...expiry() }),

    /** Has the front door opened this dialog about the operation? */
    isDialogOf: async (operation: string, viewId: string): Promise<boolean> =>
      (await items.read(keys.dialog(operation, viewId))) !== undefined,

    /** Records a person who says to have what waits; each person has one press per wait, the last one. */
    pressWait: (press: WaitPress): Promise<void> =>
      items.replace(keys.waitPress(press.wait, press.userId), {
        ...press,
        [EXPIRES]: expiryAfter(press.at, PRESS_DAYS),
      }),

    /** Records a person's request to pause or resume a rollout; the last one is valid. */
    keepSteering: (operation: string, steering: SteeringDecision): Promise<void> =>
      items.replace(keys.steering(operation), { ...steering, ...expiry() }),

    /** The last request of a person to pause or resume a rollout. */
    steering: (operation: string): Promise<SteeringDecision | undefined> =>
      items.read<SteeringDecision>(keys.steering(operation)),

    /**
     * Finds the partition of an operation's decisions. Operations of the last release have no accepted request: their
     * executions read decisions in the operation's own partition.
     */
    partitionOf: async (operation: string): Promise<string> =>
      (await accepted(operation)) ? doorPartition(operation) : operationPartition(operation),
  };
};
