/** The primary key of an item of the ledger's table. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The two text attributes that form the key of a table or index. */
interface KeySchema {
  readonly hash: string;
  readonly range: string;
}

/** Attributes of the primary key. */
export const PRIMARY_KEY = { hash: "pk", range: "sk" } as const satisfies { hash: keyof Key; range: keyof Key };

/** A global secondary index of the ledger's table. */
export interface LedgerIndex extends KeySchema {
  readonly name: string;
}

/**
 * Lists a cluster's operations by the time of their request; refused ones have no `listed`, so they are not in the
 * index.
 */
export const BY_TIME: LedgerIndex = { name: "by-time", hash: "listed", range: "requestedAt" };

/** Lists a cluster's operations that have not ended, however old: ending an operation removes `unfinished`. */
export const UNFINISHED: LedgerIndex = { name: "unfinished", hash: "unfinished", range: "requestedAt" };

/**
 * Value of `unfinished` for cordons that must be restored. It differs from the operations' value, which an older
 * release lists.
 */
export const openCordons = (cluster: string): string => `${cluster}/cordons`;

/** Value of `unfinished` for audit chains with missing copies in the bucket. */
export const openExports = (cluster: string): string => `${cluster}/exports`;

/** Every index of the table; the stack and the sandbox create these. */
export const ledgerIndexes: readonly LedgerIndex[] = [BY_TIME, UNFINISHED];

/** The attribute of DynamoDB's Time to Live: seconds since the epoch. Items without it never expire. */
export const EXPIRES = "expiresAt";

/** Partition of the roster. */
export const DIRECTORY_PARTITION = "directory";

/** Prefix of the partitions with the callback that waits for a command. */
export const COMMAND_PARTITION = "command#";

/** Prefix of the partitions with the callback that waits for a machine. */
export const MACHINE_PARTITION = "instance#";

/** Prefix of the partitions of leases on machines. */
export const LEASE_PARTITION = "lease#";

/** Prefix of the partitions of owners of cordons. */
export const CORDON_PARTITION = "cordon#";

/** Prefix of the partitions of reservations of pools. */
export const POOL_PARTITION = "pool#";

/** Prefix of the partitions of posted messages. */
export const MESSAGE_PARTITION = "message#";

/** Prefix of the sort keys of messages with buttons. */
export const CARD_ITEMS = "card#";

/** Partition of the messages that offer a command. @param command as it is typed, without the command word */
export const offerPartition = (command: string): string => `${MESSAGE_PARTITION}offer ${command}`;

/** Prefix of the partitions of Slack's addresses for answers. */
export const RESPONSE_PARTITION = "response#";

/** Prefix of the partitions of the audit's missing copies. */
export const EXPORT_PARTITION = "export#";

/** Prefix of the partitions of turns. */
export const TURN_PARTITION = "turn#";

/** Partition of the machines' records; each has an item under its instance id. */
export const MACHINES = "machine-records";

/** Partition of the lists of files that machines were sent; each has an item under its hash. */
export const FILE_LISTS = "file-lists";

/** Partition of the reminders of waits for a person. */
export const REMINDERS = "reminders";

/** Partition of the calls to trouble of many nodes; each kind of trouble has an item. */
export const FLEET_CALLS = "fleet-calls";

/** Partition of the slots; each pool has an item. */
export const SLOTS = "slots";

/** Partition of the freezes and holds. */
export const STOPS = "stops";

/** Prefix of the sort keys of an operation's nodes. */
export const NODE_ITEMS = "node#";

/** Prefix of the sort keys of an operation's decisions. */
export const DECISION_ITEMS = "decision#";

/** Prefix of the sort keys of the decisions on one subject. */
export const decisionsOn = (subject: string): string => `${DECISION_ITEMS}${subject}#`;

/** Prefix of the partitions of the audit, whose items no function may change or delete. */
export const AUDIT_PARTITION = "audit#";

/** Partition of an audit chain. @param chain "add-3f9c2a71" or "add-3f9c2a71:0" */
export const auditPartition = (chain: string): string => `${AUDIT_PARTITION}${chain}`;

/** Prefix of the sort keys of a chain's entries: numbers of six digits. */
export const ENTRY_ITEMS = "0";

/** Prefix of the sort keys that name the chains of an operation's nodes. */
export const CHAIN_ITEMS = "chain#";

/** Prefix of the sort keys of the votes on one request for approval. */
export const votesOn = (asking: number): string => `${decisionsOn("approval")}${String(asking).padStart(4, "0")}#`;

/** Prefix of the partitions of operations. */
export const OPERATION_PARTITION = "operation#";

/** Partition of an operation and its nodes, which its own workflow writes. */
export const operationPartition = (id: string): string => `${OPERATION_PARTITION}${id}`;

/** Prefix of the partitions that only the front door may write. */
export const DOOR_PARTITION = "door#";

/** Partition of a person's request and of people's decisions about its operation. */
export const doorPartition = (operation: string): string => `${DOOR_PARTITION}${operation}`;

/** Partition of people's presses of **I have it**, each under the name of the wait and its person. */
export const WAIT_PRESSES = doorPartition("waits");

/** Work that only one execution does at a time. */
export type TurnOf = "sweep" | "reminders";

/** Keys of all kinds of items. */
export const keys = {
  operation: (id: string): Key => ({ pk: operationPartition(id), sk: "operation" }),
  node: (operation: string, index: number): Key => ({
    pk: operationPartition(operation),
    sk: `${NODE_ITEMS}${String(index).padStart(4, "0")}`,
  }),
  /** Nodes and settings of a rollout. */
  rollout: (operation: string): Key => ({ pk: operationPartition(operation), sk: "rollout" }),
  /** A person's request, as the front door accepted it. */
  accepted: (operation: string): Key => ({ pk: doorPartition(operation), sk: "request" }),
  /** The last request of a person to pause or resume a rollout. */
  steering: (operation: string): Key => ({ pk: doorPartition(operation), sk: "steering" }),
  /** One decision of an operation. @param place number among the decisions on the subject, from 1 */
  decision: (partition: string, subject: string, place: number): Key => ({
    pk: partition,
    sk: `${decisionsOn(subject)}${String(place).padStart(4, "0")}`,
  }),
  /** One entry of an audit chain. @param sequence counted from 1 */
  audit: (chain: string, sequence: number): Key => ({
    pk: auditPartition(chain),
    sk: String(sequence).padStart(6, "0"),
  }),
  /** Says that a node of an operation has an audit chain of its own. */
  auditChain: (operation: string, index: number): Key => ({
    pk: auditPartition(operation),
    sk: `${CHAIN_ITEMS}${String(index).padStart(4, "0")}`,
  }),
  /** The copies of an audit chain that are missing in the bucket. */
  auditExport: (chain: string): Key => ({ pk: `${EXPORT_PARTITION}${chain}`, sk: "export" }),
  /** One person's vote on a plan; each person has one vote per request for approval. */
  vote: (partition: string, asking: number, userId: string): Key => ({
    pk: partition,
    sk: `${votesOn(asking)}${userId}`,
  }),
  /** The execution that acts on the approval of one request; only the first one may. */
  approvalUse: (operation: string, asking: number): Key => ({
    pk: operationPartition(operation),
    sk: `used#approval#${String(asking).padStart(4, "0")}`,
  }),
  /** The callback that waits for a command. */
  command: (commandId: string): Key => ({ pk: `${COMMAND_PARTITION}${commandId}`, sk: "callback" }),
  /** The callback that waits for a command on all its machines. */
  fleet: (commandId: string): Key => ({ pk: `${COMMAND_PARTITION}${commandId}`, sk: "whole" }),
  /** The callback that waits for an instance. */
  machine: (instanceId: string): Key => ({ pk: `${MACHINE_PARTITION}${instanceId}`, sk: "callback" }),
  lease: (instanceId: string): Key => ({ pk: `${LEASE_PARTITION}${instanceId}`, sk: "lease" }),
  /** The join slots of the cluster. */
  registering: { pk: "places#registering", sk: "places" },
  /** Nodes that running operations will add to a pool. */
  pool: (name: string): Key => ({ pk: `${POOL_PARTITION}${name}`, sk: "reservations" }),
  /** Slots of a pool's nodes. @param pool null: nodes of no pool */
  slots: (pool: string | null): Key => ({ pk: SLOTS, sk: pool === null ? "none" : `${POOL_PARTITION}${pool}` }),
  /** A freeze or a hold. @param name its kind and its target */
  stop: (name: string): Key => ({ pk: STOPS, sk: name }),
  /** Nodes that were changed without an approval, until an approver has reviewed the change. */
  breakGlass: { pk: "break-glass", sk: "uses" },
  /** A posted message, by its unique mark. */
  message: (mark: string): Key => ({ pk: `${MESSAGE_PARTITION}${mark}`, sk: "message" }),
  /** A message with buttons. @param partition what they act on */
  card: (partition: string, mark: string): Key => ({ pk: partition, sk: `${CARD_ITEMS}${mark}` }),
  /** A dialog that the front door has opened, by Slack's id of it. */
  dialog: (operation: string, viewId: string): Key => ({ pk: doorPartition(operation), sk: `dialog#${viewId}` }),
  /** The address at which Slack accepts the answer to a look for half an hour. */
  responseUrl: (operation: string): Key => ({ pk: `${RESPONSE_PARTITION}${operation}`, sk: "url" }),
  /** The owner of a Node's cordon, by the Node's UID. */
  cordon: (uid: string): Key => ({ pk: `${CORDON_PARTITION}${uid}`, sk: "cordon" }),
  /** The execution that does the work now, or did it last. */
  turn: (of: TurnOf) => ({ pk: `${TURN_PARTITION}${of}`, sk: "turn" }),
  /** The rules on people and commands that were last posted in the channel. */
  announcedRules: { pk: "announced", sk: "rules" },
  /** Operations whose messages Slack refused. */
  unsaid: { pk: "unsaid", sk: "messages" },
  /** Machines that no operation works on and that are not full nodes. */
  strays: { pk: "strays", sk: "machines" },
  /** Events that EC2 has scheduled for machines. */
  machineEvents: { pk: "machine-events", sk: "machines" },
  /** The call to trouble of many nodes that has not ended. @param kind of trouble */
  fleetCall: (kind: string): Key => ({ pk: FLEET_CALLS, sk: kind }),
  directory: { pk: DIRECTORY_PARTITION, sk: "slack" },
  /** State of the schedule that keeps an input up to date on nodes. @param rule "authority", "mirrors" */
  inputWatch: (rule: string): Key => ({ pk: rule, sk: "watch" }),
  /** One person's last press of **I have it** for one wait. */
  waitPress: (wait: string, userId: string): Key => ({ pk: WAIT_PRESSES, sk: `${wait} by ${userId}` }),
  /** The last reminder of one wait for a person. */
  reminder: (name: string): Key => ({ pk: REMINDERS, sk: name }),
  /** The record of a machine, with its attributes. */
  machineRecord: (instanceId: string): Key => ({ pk: MACHINES, sk: instanceId }),
  /** A list of files that machines were sent. @param hash hex sha256 of the list */
  fileList: (hash: string): Key => ({ pk: FILE_LISTS, sk: hash }),
} as const;
