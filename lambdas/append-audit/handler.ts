import { type AppendAnswer, appendRequest } from "../audit/append-request.ts";
import { AwsError } from "../clients/aws-call.ts";
import { eventClients } from "../clients/event-clients.ts";
import type { Transport } from "../clients/transport.ts";
import { log, withLog } from "../logging.ts";
import { type Settings, settings } from "../settings.ts";
import type { EventContext } from "../steps/context.ts";
import { appendActs, entriesOf } from "./append.ts";
import { callerOf, judgeRequest } from "./claims.ts";
import { copies } from "./copies.ts";

/** Runtime of this function: settings, clock and transport. */
export interface AppendRuntime {
  readonly settings: Settings;
  readonly now: () => number;
  readonly transport?: Transport;
  /** Writes a line to the function's log, unchanged; by default to standard output. */
  readonly log?: (line: string) => void;
}

/** The part of Lambda's context that this function reads. */
interface Invocation {
  /** ARN with the alias by which it was called. */
  readonly invokedFunctionArn: string;
}

async function answer(
  context: EventContext,
  event: unknown,
  { invokedFunctionArn }: Invocation,
): Promise<AppendAnswer> {
  const { data: request, error } = appendRequest.safeParse(event);
  if (!request) return { refused: error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ") };
  const { chain } = request;
  const judged = await judgeRequest(context, callerOf(invokedFunctionArn), request);
  if ("refused" in judged) return judged;
  const copied = copies(context, judged.day);
  if (request.kind === "copy") return { isCopied: await copied.catchUp(chain, () => entriesOf(context, chain)) };
  return { head: await appendActs(context, copied, { chain, head: judged.head }, request.entries) };
}

/** The answer for a service that did not carry out its part: the caller judges whether to repeat. @throws any other error */
function failedAnswer(error: unknown): AppendAnswer {
  if (!(error instanceof AwsError)) throw error;
  const { service, name: code, message, $metadata } = error;
  return { failed: { service, code, message, status: $metadata.httpStatusCode } };
}

/**
 * Makes the handler that appends to the audit. Only this function may write entries and their copies, and it judges each request by
 * what the ledger holds.
 * @returns a function that answers with the chain's head, or with the reason why nothing was appended
 */
export const createHandler = (
  runtime: AppendRuntime,
): ((event: unknown, given: Invocation) => Promise<AppendAnswer>) => {
  const { settings: own, now, transport } = runtime;
  const context: EventContext = { clients: eventClients(own, transport), settings: own, now };
  const handle = async (event: unknown, given: Invocation): Promise<AppendAnswer> => {
    const answered = await answer(context, event, given).catch(failedAnswer);
    if ("refused" in answered) log("WARN", "refusal", { action: "append to the audit", why: answered.refused });
    return answered;
  };
  return (event, given) => withLog(runtime, {}, () => handle(event, given));
};

let kept: ReturnType<typeof createHandler> | undefined;

/** The Lambda entry: workflows call it by an alias of their own name, and wait for its answer. */
export const handler = (event: unknown, given: Invocation): Promise<AppendAnswer> => {
  kept ??= createHandler({ settings: settings(), now: Date.now });
  return kept(event, given);
};
