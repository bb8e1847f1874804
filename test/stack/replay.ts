import type { Transport } from "../../lambdas/clients/transport.ts";
import type { Settings } from "../../lambdas/settings.ts";
import type { LambdaEntry } from "../../lambdas/steps/host.ts";
import { aliasesFor } from "../../lib/function-aliases.ts";
import { type FunctionName, functionOf, functions } from "../../lib/functions.ts";
import type { Execution, Operation, OperationUpdate } from "../../lib/sandbox/durable/model.ts";
import { statePage } from "../../lib/sandbox/durable/replay.ts";
import { eventTime, wireOperation } from "../../lib/sandbox/durable/wire-format.ts";
import { lambdaName } from "../../lib/sandbox/simulator.ts";
import type { History, RecordedOperation } from "./histories.ts";

/** Operations that a run asks for which its history does not hold, or the end that it comes to without any. */
interface Replayed {
  readonly asked: readonly Pick<OperationUpdate, "Id" | "Type" | "Name">[];
  readonly end: unknown;
}

/** A place at which today's code does not do what the history's did. */
interface Difference {
  /** Place in the history, from 0; the number of its operations: its end. */
  readonly at: number;
  readonly expected: string;
  readonly got: string;
}

const settingsOf = (name: FunctionName): Settings => ({
  region: "us-west-2",
  credentials: { accessKeyId: "AKIAREPLAY", secretAccessKey: "replay" },
  awsEndpoint: "http://aws.invalid",
  cluster: "prod-west",
  bucket: "casement-prod-west",
  ledgerTable: "casement-prod-west",
  account: functionOf(name)?.account,
  slackSecret: "casement/prod-west/slack",
  slackUrl: "http://slack.invalid/api/",
  retentionDays: 90,
  functions: Object.fromEntries(
    Object.entries(aliasesFor(name)).map(([each, alias]) => [each, `${lambdaName(each)}:${alias}`]),
  ),
  documents: {},
});

const never = (): Promise<never> => new Promise(() => undefined);

/** A way out that leads to no service: whatever is called never answers, and the first checkpoint is noted. */
const nowhere = (onCheckpoint: (updates: Replayed["asked"]) => void): Transport => ({
  aws: {
    handle: ({ path, body }: { readonly path: string; readonly body: Uint8Array }) => {
      if (path.endsWith("/checkpoint")) onCheckpoint(JSON.parse(Buffer.from(body).toString()).Updates);
      return never();
    },
  } as unknown as Transport["aws"],
  fetch: never,
  kubernetes: never,
});

const context = ({ function: called, arn }: History) => ({
  functionName: lambdaName(called),
  functionVersion: "1",
  invokedFunctionArn: arn.split("/")[0],
  awsRequestId: "00000000-0000-4000-8000-000000000000",
  getRemainingTimeInMillis: () => 300_000,
});

/** The event by which the service invokes a function whose execution has got so far. */
function eventOf({ arn, input, startedAt }: History, operations: readonly RecordedOperation[]) {
  const execution = { id: arn.split("/").at(-1), name: arn.split("/").at(-2), startedAt, input } as Execution;
  const known = operations.map((operation, at): Operation => ({ ...operation, order: at + 1, startedAt }));
  const page = statePage(execution, known, undefined, Number.POSITIVE_INFINITY);
  const time = eventTime((ms) => ms);
  return {
    DurableExecutionArn: arn,
    CheckpointToken: "replay",
    UpdatedOperationIds: [],
    InitialExecutionState: { Operations: page.operations.map((operation) => wireOperation(operation, time)) },
  };
}

/** Replays a history as far as these operations go. */
type Replay = (operations: readonly RecordedOperation[]) => Promise<Replayed>;

/** Builds the function of a history as today's code has it. */
async function replayer(history: History): Promise<Replay> {
  const { function: called, endedAt } = history;
  const entry = new URL(`../../${functions[called].entry}`, import.meta.url).href;
  const { createHandler }: LambdaEntry = await import(entry);
  let onCheckpoint = (_asked: Replayed["asked"]): void => undefined;
  const handler = createHandler({
    settings: settingsOf(called),
    now: () => endedAt,
    transport: nowhere((asked) => onCheckpoint(asked)),
    log: () => undefined,
    pause: never,
  });
  type Called = Parameters<typeof handler>;
  return (operations) =>
    new Promise((resolve) => {
      onCheckpoint = (asked) => resolve({ asked, end: null });
      const event = eventOf(history, operations) as unknown as Called[0];
      const ended = handler(event, context(history) as Called[1]);
      void ended.catch(String).then((end) => resolve({ asked: [], end }));
    });
}

const worded = (type: string, name: string | undefined): string => `${type} "${name ?? ""}"`;

const gotOf = ({ asked: [first], end }: Replayed): string =>
  first ? worded(first.Type, first.Name) : `the end ${JSON.stringify(end)}`;

/** The history as it was right before an operation began: what holds that one has begun, and the rest is over. */
function cutBefore({ operations }: History, at: number): readonly RecordedOperation[] {
  const holders = new Set<string>();
  for (let holder = operations[at]?.parentId; holder !== undefined; ) {
    const found = holder;
    holders.add(found);
    holder = operations.find(({ id }) => id === found)?.parentId;
  }
  return operations.slice(0, at).map((operation) => {
    if (!holders.has(operation.id)) return operation;
    const { result: _, error: __, ...begun } = operation;
    return { ...begun, status: "STARTED" as const };
  });
}

/** Replays a history up to an operation, which today's code must ask for next. */
async function differenceBefore(replay: Replay, history: History, at: number): Promise<Difference | null> {
  const operation = history.operations[at];
  if (!operation) return differenceAtEnd(replay, history);
  const replayed = await replay(cutBefore(history, at));
  const asked = replayed.asked.find(({ Id }) => Id === operation.id);
  const expected = worded(operation.type, operation.name);
  if (asked && worded(asked.Type, asked.Name) === expected) return null;
  return { at, expected, got: asked ? worded(asked.Type, asked.Name) : gotOf(replayed) };
}

/** The end as a function's answer says it. */
const endOf = ({ status, result, error }: History): string =>
  JSON.stringify(status === "SUCCEEDED" ? [status, result] : [status, error?.ErrorType, error?.ErrorMessage]);

interface Answer {
  readonly Status?: string;
  readonly Result?: string | null;
  readonly Error?: { readonly ErrorType?: string; readonly ErrorMessage?: string };
}

const endIn = ({ Status, Result, Error: error }: Answer): string =>
  JSON.stringify(Status === "SUCCEEDED" ? [Status, Result ?? null] : [Status, error?.ErrorType, error?.ErrorMessage]);

/** Replays a whole history, which must end as it ended then. */
async function differenceAtEnd(replay: Replay, history: History): Promise<Difference | null> {
  const replayed = await replay(history.operations);
  if (replayed.asked.length === 0 && endIn(Object(replayed.end)) === endOf(history)) return null;
  return { at: history.operations.length, expected: `the end ${endOf(history)}`, got: gotOf(replayed) };
}

const withoutNumbers = (name = ""): string => name.replace(/\d+/g, "");

/** Operations that follow one of another kind than any before in the history did: rounds of one wait are replayed once. */
export const turnsOf = ({ operations }: Pick<History, "operations">): ReadonlyMap<string, number> => {
  const turns = new Map<string, number>();
  for (const [at, { type, name }] of operations.entries()) {
    const turn = `${withoutNumbers(operations[at - 1]?.name)} > ${type} ${withoutNumbers(name)}`;
    if (!turns.has(turn)) turns.set(turn, at);
  }
  return turns;
};

const sentence = ({ function: called, name, operations }: History, { at, expected, got }: Difference): string => {
  const place = at < operations.length ? `operation ${at + 1} of ${operations.length}` : "the end";
  return `${called}, history "${name}", ${place}: expected ${expected}, got ${got}`;
};

/**
 * Replays a history with today's code: cut before each operation at which it turns, and whole.
 * @param until place of the first operation that is not judged, from 0
 * @returns the first place at which today's code does something else; null when there is none
 */
export async function firstDifference(history: History, until = Number.POSITIVE_INFINITY): Promise<string | null> {
  const replay = await replayer(history);
  const places = [...turnsOf(history).values(), history.operations.length].filter((at) => at < until);
  const isDifferent = async (at: number) => (await differenceBefore(replay, history, at)) !== null;
  for (const place of places) {
    if (!(await isDifferent(place))) continue;
    for (let at = 0; at <= place; at += 1) {
      const difference = await differenceBefore(replay, history, at);
      if (difference) return sentence(history, difference);
    }
  }
  return null;
}
