import { shortHash } from "../../audit/head.ts";
import { isChange } from "../../commands/list.ts";
import { log, logMetric } from "../../logging.ts";
import { METRICS } from "../../metrics.ts";
import {
  BY_TIME,
  EXPIRES,
  type Key,
  keys,
  NODE_ITEMS,
  operationPartition,
  UNFINISHED,
} from "../../records/ledger-table.ts";
import { type OriginFields, originId } from "../../records/origin.ts";
import type { NodeRecord, OperationRecord } from "../../records/records.ts";
import type { SteeringDecision } from "../../records/steering.ts";
import type { Settings } from "../../settings.ts";
import { type FrontDoorContext, timestamp } from "../context.ts";
import { acceptedRequests } from "./accepted.ts";
import { cancellations } from "./cancellations.ts";
import { decisions } from "./decisions.ts";
import { expireOperation, expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** Fields of an operation that may change; its identity may not. */
export type OperationChange = Partial<
  Omit<OperationRecord, "id" | "cluster" | "request" | keyof OriginFields | "requestedAt">
>;

/** Fields of a node's record that may change. */
export type NodeChange = Partial<Omit<NodeRecord, "operation" | "index">>;

const DAY_SECONDS = 24 * 60 * 60;

/** Seconds for which a command's callback is stored: a command ends within hours. */
const COMMAND_LIVES_SECONDS = DAY_SECONDS;

/** Days for which a `/win` look is recorded: it changes nothing, and its record is of no use after a month. */
const LOOK_LIVES_DAYS = 30;

/**
 * Attributes by which indexes find an operation, and by which DynamoDB deletes `/win` looks and requests that the front
 * door refused.
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

/** Logs the end of an operation, and adds it to the metrics by outcome and by the first failed stage. */
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

/** Stores which callback waits for which event; the handler of that event completes the callback. */
const waiters = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const awaited = (callbackId: string) => ({
    callbackId,
    at: timestamp(context),
    [EXPIRES]: Math.floor(context.now() / 1000) + COMMAND_LIVES_SECONDS,
  });
  const awaitMachine = (instanceId: string, callbackId: string): Promise<void> =>
    items.replace(keys.machine(instanceId), awaited(callbackId));
  const callbackOf = async (key: Key): Promise<string | undefined> =>
    (await items.read<{ callbackId: string }>(key))?.callbackId;

  return {
    /**
     * Stores the callback that waits for a command. The event of the command's end, or of its machine's end, completes
     * it.
     */
    awaitCommand: async (commandId: string, instanceId: string, callbackId: string): Promise<void> => {
      await items.replace(keys.command(commandId), awaited(callbackId));
      await awaitMachine(instanceId, callbackId);
    },

    /**
     * Stores the callback that waits until a command has ended on all its machines; events of single machines do not
     * complete it.
     */
    awaitFleet: (commandId: string, callbackId: string): Promise<void> =>
      items.replace(keys.fleet(commandId), awaited(callbackId)),

    /** Stores the callback that waits for the event of an instance's end. */
    awaitMachine,

    machineCallback: (instanceId: string) => callbackOf(keys.machine(instanceId)),
    fleetCallback: (commandId: string) => callbackOf(keys.fleet(commandId)),
    commandCallback: (commandId: string) => callbackOf(keys.command(commandId)),
  };
};

/** Records of an operation's nodes. */
const nodeRecords = (context: FrontDoorContext) => {
  const items = tableClient(context);
  return {
    /** Records a node unless it is recorded already, because a repeated step must not erase progress. */
    recordNode: (record: NodeRecord): Promise<"first" | "again"> =>
      items.insert(keys.node(record.operation, record.index), record),

    changeNode: (id: string, index: number, fields: NodeChange): Promise<void> =>
      items.change(keys.node(id, index), fields),

    /** Notes on a node of another operation what became of its cordon or its machine, or who works on it now. */
    noteOnNode: (
      id: string,
      index: number,
      fields: Pick<NodeChange, "settled" | "takenOverBy"> | Pick<NodeChange, "outcome" | "isTerminated">,
    ): Promise<void> => items.note(keys.node(id, index), fields),

    /** Removes the later operation from a node of another one, whose cordon is left to a person again. */
    leaveNode: (id: string, index: number): Promise<void> => items.drop(keys.node(id, index), "takenOverBy"),

    nodes: (id: string): Promise<NodeRecord[]> => items.all<NodeRecord>(operationPartition(id), NODE_ITEMS),
  };
};

/** The ledger of operations, which people read: each request with its requester, its time and its course. */
export const ledger = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const { settings } = context;
  const people = acceptedRequests(context);
  const operation = (id: string): Promise<OperationRecord | undefined> =>
    items.read<OperationRecord>(keys.operation(id));

  return {
    /**
     * Records a request before anything starts; "again" if the same request was recorded before. Requests that the
     * policy refused are recorded too, but not listed among the operations.
     */
    requested: (record: OperationRecord): Promise<"first" | "again"> =>
      items.insert(keys.operation(record.id), {
        ...record,
        ...indexAttributes(record, settings),
      }),

    operation,

    /** Lists the newest operations. @param most limit on their number */
    operations: (most: number): Promise<OperationRecord[]> =>
      items.indexed<OperationRecord>(BY_TIME, settings.cluster, "newest first", most),

    /** Lists every operation that has not ended, the oldest first. */
    unfinished: (): Promise<OperationRecord[]> =>
      items.indexed<OperationRecord>(UNFINISHED, settings.cluster, "oldest first"),

    /**
     * Changes an operation. If it ends, all its items expire together, some days after its end. The items of its nodes
     * and the others in its partition are changed first, so that a repeated step finds the ones that are missing.
     */
    changeOperation: async (id: string, { endedAt, ...fields }: OperationChange): Promise<void> => {
      if (!endedAt) return items.change(keys.operation(id), fields);
      const { expiry, before, nodes } = await expireOperation(context, id, endedAt);
      await items.change(keys.operation(id), { ...fields, endedAt, ...expiry }, [UNFINISHED.hash]);
      // A repeated step finds its own end and logs nothing.
      if (before?.endedAt === null) logEnd({ ...before, ...fields, endedAt } as OperationRecord, nodes);
    },

    /**
     * Records a person's request to pause or resume a rollout unless it has ended; the last request is valid.
     * @returns the current operation; undefined if it has ended
     */
    steer: async (id: string, steering: SteeringDecision): Promise<OperationRecord | undefined> => {
      await people.keepSteering(id, steering);
      // The copy in the operation's record wakes the schedule; the workflow acts on the one above.
      const before = await items.changeIf<OperationRecord>(
        keys.operation(id),
        { steering },
        { expression: "endedAt = :null", values: { ":null": null } },
      );
      return before && operation(id);
    },

    ...cancellations(context),
    ...nodeRecords(context),

    /** A person's request as the front door accepted it; undefined for a rule's, and for one of the last release. */
    accepted: people.accepted,
    keepDialog: people.keepDialog,
    pressWait: people.pressWait,
    isDialogOf: people.isDialogOf,

    keepAccepted: people.keepAccepted,
    steering: people.steering,

    ...waiters(context),
    ...decisions(context),
  };
};
