import { shortHash } from "../../audit/head.ts";
import { isChange } from "../../commands/list.ts";
import { BY_TIME, EXPIRES, keys, NODE_ITEMS, operationPartition, UNFINISHED } from "../../ledger-table.ts";
import { log, logMetric } from "../../logging.ts";
import { METRICS } from "../../metrics.ts";
import { type Originated, originId } from "../../origin.ts";
import type { NodeRecord, OperationRecord } from "../../records.ts";
import type { Settings } from "../../settings.ts";
import type { Steering } from "../../steering.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { decisions } from "./decisions.ts";
import { expireOperation, expiryAfter } from "./retention.ts";
import { table } from "./table.ts";

/** Fields of an operation that may change; its identity may not. */
export type OperationChange = Partial<
  Omit<OperationRecord, "id" | "cluster" | "request" | keyof Originated | "requestedAt">
>;

/** Fields of a node's record that may change. */
export type NodeChange = Partial<Omit<NodeRecord, "operation" | "index">>;

const DAY_SECONDS = 24 * 60 * 60;

/** A command ends within hours; who waits for it is not asked for afterwards. */
const COMMAND_LIVES_SECONDS = DAY_SECONDS;

/** A look changes nothing: its record is of no use after a month. */
const LOOK_LIVES_DAYS = 30;

/**
 * Attributes by which an operation is found in the indexes, and by which DynamoDB deletes a look, or a request that the
 * front door refused.
 */
function indexAttributes(
  { status, endedAt, request, requestedAt }: OperationRecord,
  { cluster, retentionDays }: Settings,
): object {
  const days = isChange(request.command) ? retentionDays : Math.min(retentionDays, LOOK_LIVES_DAYS);
  const isKept = isChange(request.command) && endedAt === null;
  return {
    ...(status === "refused" ? {} : { [BY_TIME.hash]: cluster }),
    ...(endedAt === null ? { [UNFINISHED.hash]: cluster } : {}),
    ...(isKept ? {} : { [EXPIRES]: expiryAfter(endedAt ?? requestedAt, days) }),
  };
}

/** Logs how an operation ended, and counts it by outcome and by the first stage that failed. */
function logEnd(operation: OperationRecord, nodes: readonly NodeRecord[]): void {
  const { id, status, request, requestedAt, endedAt, summary, audit } = operation;
  const stage = nodes.find(({ failure }) => failure !== null)?.failure?.stage;
  const seconds = Math.round((Date.parse(endedAt ?? "") - Date.parse(requestedAt)) / 1_000);
  const level = status === "failed" ? "WARN" : "INFO";
  const ended = { operation: id, command: request.command, outcome: status, stage, seconds };
  log(level, "operation", {
    ...ended,
    by: originId(operation),
    audit: audit && shortHash(audit),
    why: summary,
  });
  if (isChange(request.command))
    logMetric(METRICS.operationsEnded, 1, { [METRICS.outcome]: status, [METRICS.stage]: stage ?? "none" });
}

/** Logs a person's cancellation, or that it did not count; a removal names its node. */
const logCancel = ({ id, request }: OperationRecord, outcome: "requested" | "refused", by: string | null): void =>
  log("INFO", "decision", {
    decision: "cancel",
    outcome,
    operation: id,
    node: request.command === "remove" ? request.node : undefined,
    by,
  });

/** Stores which callback waits for which event: the handler of that event completes it. */
const waiters = (context: FrontDoorContext) => {
  const items = table(context);
  const awaited = (callbackId: string) => ({
    callbackId,
    at: timestamp(context),
    [EXPIRES]: Math.floor(context.now() / 1000) + COMMAND_LIVES_SECONDS,
  });
  const awaitMachine = (instanceId: string, callbackId: string): Promise<void> =>
    items.replace(keys.machine(instanceId), awaited(callbackId));

  return {
    /** Remembers which callback waits for a command, so that its event can complete it, or that of its machine's end. */
    awaitCommand: async (commandId: string, instanceId: string, callbackId: string): Promise<void> => {
      await items.replace(keys.command(commandId), awaited(callbackId));
      await awaitMachine(instanceId, callbackId);
    },

    /**
     * Remembers which callback waits until a command has ended on every machine that it went to: the events of single
     * machines do not wake it.
     */
    awaitFleet: (commandId: string, callbackId: string): Promise<void> =>
      items.replace(keys.fleet(commandId), awaited(callbackId)),

    /** Remembers which callback waits for an instance, so that the event of its end can complete it. */
    awaitMachine,

    machineCallback: async (instanceId: string): Promise<string | undefined> =>
      (await items.read<{ callbackId: string }>(keys.machine(instanceId)))?.callbackId,

    fleetCallback: async (commandId: string): Promise<string | undefined> =>
      (await items.read<{ callbackId: string }>(keys.fleet(commandId)))?.callbackId,

    commandCallback: async (commandId: string): Promise<string | undefined> =>
      (await items.read<{ callbackId: string }>(keys.command(commandId)))?.callbackId,
  };
};

/** The part of the ledger that people read: each request with its requester, its time and its course. */
export const ledger = (context: FrontDoorContext) => {
  const items = table(context);
  const { settings } = context;
  const operation = (id: string): Promise<OperationRecord | undefined> =>
    items.read<OperationRecord>(keys.operation(id));

  return {
    /**
     * Writes that something was asked for, before anything is started; "again" when this very request was seen.
     * What the policy refused is kept too, but not listed among the operations.
     */
    requested: (record: OperationRecord): Promise<"first" | "again"> =>
      items.insert(keys.operation(record.id), {
        ...record,
        ...indexAttributes(record, settings),
      }),

    operation,

    /** The newest operations first, at most so many. */
    operations: (most: number): Promise<OperationRecord[]> =>
      items.indexed<OperationRecord>(BY_TIME, settings.cluster, "newest first", most),

    /** Every operation that has not ended, the oldest first, however many were asked for since. */
    unfinished: (): Promise<OperationRecord[]> =>
      items.indexed<OperationRecord>(UNFINISHED, settings.cluster, "oldest first"),

    /**
     * Changes an operation. One that ends expires as a whole, so many days after its end: its nodes and whatever else is
     * in its partition first, so that a repeated step finds what is missing.
     */
    changeOperation: async (id: string, { endedAt, ...fields }: OperationChange): Promise<void> => {
      if (!endedAt) return items.change(keys.operation(id), fields);
      const { expiry, before, nodes } = await expireOperation(context, id, endedAt);
      await items.change(keys.operation(id), { ...fields, endedAt, ...expiry }, [UNFINISHED.hash]);
      // A step that is repeated finds the end that it wrote.
      if (before?.endedAt === null) logEnd({ ...before, ...fields, endedAt } as OperationRecord, nodes);
    },

    /**
     * Marks an operation as cancelled, unless it has ended; the first cancellation counts.
     * @param cause what cancelled it: the same cause again is the same cancellation
     * @returns the operation as it is now; undefined when there is no such operation
     */
    requestCancel: async (id: string, by: string, cause: string): Promise<OperationRecord | undefined> => {
      const change = { cancelledBy: by, cancelCause: cause };
      const marked = await items.changeIf<OperationRecord>(keys.operation(id), change, {
        expression: "cancelledBy = :null AND endedAt = :null",
        values: { ":null": null },
      });
      if (marked) logCancel(marked, "requested", by);
      return marked ? { ...marked, ...change } : operation(id);
    },

    /**
     * Writes down a person's wish about a rollout, unless it has ended; the last wish counts.
     * @returns the operation as it is now; undefined when it has ended
     */
    steer: async (id: string, steering: Steering): Promise<OperationRecord | undefined> => {
      const before = await items.changeIf<OperationRecord>(
        keys.operation(id),
        { steering },
        { expression: "endedAt = :null", values: { ":null": null } },
      );
      return before && operation(id);
    },

    /** Takes a cancellation back that did not count, unless there is another one by now. */
    withdrawCancel: async (id: string, cause: string): Promise<void> => {
      const mine = {
        expression: "cancelCause = :cause AND endedAt = :null",
        values: { ":cause": cause, ":null": null },
      };
      const before = await items.changeIf<OperationRecord>(keys.operation(id), { cancelledBy: null }, mine);
      if (before) logCancel(before, "refused", before.cancelledBy);
    },

    /** Writes a node's record unless it is there already: a step that runs again must not wipe progress. */
    recordNode: (record: NodeRecord): Promise<"first" | "again"> =>
      items.insert(keys.node(record.operation, record.index), record),

    changeNode: (id: string, index: number, fields: NodeChange): Promise<void> =>
      items.change(keys.node(id, index), fields),

    nodes: (id: string): Promise<NodeRecord[]> => items.all<NodeRecord>(operationPartition(id), NODE_ITEMS),

    ...waiters(context),
    ...decisions(context),
  };
};
