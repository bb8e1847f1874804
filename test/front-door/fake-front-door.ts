import type { Membership } from "../../lambdas/commands/membership.ts";
import type { Start } from "../../lambdas/commands/request.ts";
import type { FrontDoor, FrontDoorSteps } from "../../lambdas/front-door/front-door.ts";
import type { Dialog } from "../../lambdas/messages/remove/modal.ts";
import type { AcceptedRequest } from "../../lambdas/records/accepted.ts";
import type { Card } from "../../lambdas/records/card.ts";
import type { Requester } from "../../lambdas/records/origin.ts";
import type { Message, NodeRecord, OperationRecord, PersonDecision } from "../../lambdas/records/records.ts";
import type { WaitPress } from "../../lambdas/records/reminders.ts";
import type { SteeringDecision } from "../../lambdas/records/steering.ts";
import type { RecordResult } from "../../lambdas/steps/ledger/decisions.ts";
import { configuration } from "./configuration.ts";

export const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

/** Half past ten, when everything in these tests happens. */
export const NOW = Date.parse("2026-11-21T10:30:00.000Z");

/** Record of everything that happened in a test, and the switches that make it fail. */
export interface Memory {
  readonly operations: Map<string, OperationRecord>;
  readonly nodes: NodeRecord[];
  /** Requests as the front door accepted them, by operation. */
  readonly accepted: Map<string, AcceptedRequest>;
  /** Delays the write of a person's accepted request. */
  accepting?: (requester: Requester) => Promise<void>;
  /** By execution name, as the durable engine keeps them: the same name again starts nothing. */
  readonly executions: Map<string, { readonly workflow: string; readonly payload: Start }>;
  /** Every call of start, also the ones that started nothing. */
  readonly starts: string[];
  /** Slack opens dialogs once this has been resolved. */
  opening: Promise<void>;
  /** Triggers whose three seconds are over. */
  readonly expired: Set<string>;
  /** Messages with buttons, by what these act on; the message 1.0 has all buttons of which there is no list. */
  readonly cards: Map<string, readonly Card[]>;
  /** Ids of the dialogs that the front door has opened. */
  readonly views: Set<string>;
  readonly presses: WaitPress[];
  readonly dialogs: { readonly triggerId: string; readonly dialog: Dialog }[];
  readonly callbacks: Map<string, object | "waiting">;
  /** Addresses for answers, by operation. */
  readonly responseUrls: Map<string, string>;
  readonly ephemerals: {
    readonly channel: string;
    readonly userId: string;
    readonly message: Message;
    /** Address of the private message that this one replaces. */
    readonly url?: string;
  }[];
  /** Notes in threads. */
  readonly notes: { readonly threadTs: string; readonly text: string }[];
  readonly memberships: Map<string, Membership>;
  /** Of the group of operators. */
  readonly members: string[];
  /** Pools whose rules could not be read. */
  readonly unreadablePools: string[];
  /** The schedule has not written the roster for half an hour. */
  hasNoRoster?: boolean;
  /** Verbs that throw: "ledger.requested". */
  readonly broken: Set<string>;
}

const emptyMemory = (): Memory => ({
  operations: new Map(),
  nodes: [],
  accepted: new Map(),
  executions: new Map(),
  starts: [],
  cards: new Map(),
  views: new Set(["V1"]),
  presses: [],
  dialogs: [],
  opening: Promise.resolve(),
  expired: new Set(),
  callbacks: new Map(),
  responseUrls: new Map(),
  ephemerals: [],
  notes: [],
  memberships: new Map(),
  members: ["U0OPERATOR"],
  unreadablePools: [],
  broken: new Set(),
});

/** The ledger's promise: the first decision stays, its own cause may repeat it. */
function decide<T extends Pick<NodeRecord, "callbacks" | "decided">>(
  known: T | undefined,
  name: string,
  decided: PersonDecision,
  change: (changed: T) => void,
): RecordResult {
  if (!known) return { kind: "unknown" };
  const callback = known.callbacks[name] ?? null;
  if (known.decided?.cause === decided.cause) return { kind: "again", callback };
  if (known.decided || callback === null)
    return { kind: "late", earlier: known.decided && callback ? { decided: known.decided, callback } : null };
  change({ ...known, decided });
  return { kind: "first", callback };
}

const ledgerOf = (memory: Memory, { operations, nodes, views, presses, accepted } = memory) => ({
  keepDialog: async (_operation: string, viewId: string) => {
    views.add(viewId);
  },
  isDialogOf: async (_operation: string, viewId: string) => views.has(viewId),
  requested: async (record: OperationRecord) => {
    if (operations.has(record.id)) return "again" as const;
    operations.set(record.id, record);
    return "first" as const;
  },
  keepAccepted: async (id: string, request: AcceptedRequest) => {
    await memory.accepting?.(request.requester);
    accepted.set(id, accepted.get(id) ?? request);
    return accepted.get(id) ?? request;
  },
  operation: async (id: string) => operations.get(id),
  changeOperation: async (id: string, fields: Partial<OperationRecord>) => {
    const known = operations.get(id);
    if (!known) throw new Error(`no operation ${id}`);
    operations.set(id, { ...known, ...fields });
  },
  nodes: async (operation: string) => nodes.filter((node) => node.operation === operation),
  requestCancel: async (id: string, by: string, cause: string) => {
    const known = operations.get(id);
    if (known && known.endedAt === null && known.cancelledBy === null)
      operations.set(id, { ...known, cancelledBy: by, cancelCause: cause });
    return operations.get(id);
  },
  pressWait: async (press: WaitPress) => {
    presses.push(press);
  },
  steer: async (id: string, steering: SteeringDecision) => {
    const known = operations.get(id);
    if (!known || known.endedAt !== null) return undefined;
    operations.set(id, { ...known, steering });
    return operations.get(id);
  },
  decideNode: async (operation: string, index: number, decided: PersonDecision) => {
    const at = nodes.findIndex((node) => node.operation === operation && node.index === index);
    const known = nodes[at];
    return decide(known, "decision", decided, (changed) => nodes.splice(at, 1, changed));
  },
  answerDialog: async (id: string, decided: PersonDecision) =>
    decide(operations.get(id), "dialog", decided, (changed) => operations.set(id, changed)),
});

const engineOf = ({ executions, starts, callbacks }: Memory) => ({
  start: async (workflow: string, executionName: string, payload: object) => {
    starts.push(executionName);
    const running = executions.get(executionName);
    if (running && JSON.stringify(running.payload) !== JSON.stringify(payload))
      throw new Error("DurableExecutionAlreadyStartedException");
    executions.set(executionName, running ?? { workflow, payload: payload as Start });
  },
  complete: async (id: string, result: object) => {
    if (callbacks.get(id) !== "waiting") return "too late" as const;
    callbacks.set(id, result);
    return "done" as const;
  },
});

const threadOf = (memory: Memory) => ({
  openDialog: async (triggerId: string, dialog: object) => {
    const { dialogs, expired } = memory;
    await memory.opening;
    if (expired.has(triggerId)) return null;
    if (dialogs.some((open) => open.triggerId === triggerId)) throw new Error("exchanged_trigger_id");
    dialogs.push({ triggerId, dialog: dialog as Dialog });
    return "V1";
  },
  note: async (_channel: string, { text }: Message, threadTs: string) => {
    memory.notes.push({ threadTs, text });
  },
  answer: async ({ channel, userId }: Pick<Requester, "channel" | "userId">, message: Message, url?: string) => {
    memory.ephemerals.push({ channel, userId, message, ...(url === undefined ? {} : { url }) });
  },
});

const cardsOf = ({ cards }: Memory) => ({
  of: async (partition: string): Promise<Card[]> => [
    ...(cards.get(partition) ?? [{ since: "2026-11-21T09:00:00.000Z", ts: "1.0" }]),
  ],
});

const responseUrlsOf = ({ responseUrls }: Memory) => ({
  keep: async (operation: string, url: string) => {
    responseUrls.set(operation, url);
  },
});

const rosterOf = (memory: Memory) => ({
  read: async () =>
    memory.hasNoRoster
      ? undefined
      : {
          groups: { S0OPERATORS: memory.members },
          memberships: Object.fromEntries(memory.memberships),
          unreadablePools: memory.unreadablePools,
          readAt: new Date(NOW).toISOString(),
        },
});

/** The verbs of a noun, each of which throws while it is broken; verbs that the front door has no use for are missing. */
const breakable = <T extends object>(noun: string, verbs: Partial<T>, { broken }: Memory): T =>
  new Proxy(verbs as T, {
    get: (target, verb: string) =>
      broken.has(`${noun}.${verb}`)
        ? () => Promise.reject(new Error(`${noun}.${verb} does not answer`))
        : target[verb as keyof T],
  });

/** A front door on steps in memory that keep the promises of the real ones: conditional writes, names of executions, callbacks once. */
export function fakeFrontDoor(now: () => number = () => NOW): { readonly door: FrontDoor; readonly memory: Memory } {
  const memory = emptyMemory();
  const steps: FrontDoorSteps = {
    now,
    timestamp: () => new Date(now()).toISOString(),
    ledger: breakable<FrontDoorSteps["ledger"]>("ledger", ledgerOf(memory), memory),
    executions: breakable<FrontDoorSteps["executions"]>("executions", engineOf(memory), memory),
    cards: breakable<FrontDoorSteps["cards"]>("cards", cardsOf(memory), memory),
    responseUrls: breakable<FrontDoorSteps["responseUrls"]>("responseUrls", responseUrlsOf(memory), memory),
    roster: breakable<FrontDoorSteps["roster"]>("roster", rosterOf(memory), memory),
    thread: breakable<FrontDoorSteps["thread"]>("thread", threadOf(memory), memory),
  };
  const signingSecret = async (): Promise<string> => {
    if (memory.broken.has("signingSecret")) throw new Error("the secret cannot be read");
    return SECRET;
  };
  return { door: { configuration, steps, slackNow: () => NOW, signingSecret }, memory };
}
