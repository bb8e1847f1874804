import { AwsError, type Caller } from "../core/aws-service.ts";
import { json, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { type Account, checkedExecutionArn, functionArn, functionReference } from "./arn.ts";
import type { CheckpointAnswer } from "./checkpoints.ts";
import { type InvokeParts, invoke } from "./invoke.ts";
import { bytesOf, CALLBACK_PAYLOAD_BYTES } from "./limits.ts";
import type { ErrorObject, Execution, OperationUpdate } from "./model.ts";
import { isAsked, listed, paged, pageSize } from "./queries.ts";
import type { Route } from "./routes.ts";
import { callbackReference } from "./tokens.ts";
import { apiTime, type WrittenTime, wireEvent, wireExecution, wireOperation, wireSummary } from "./wire-format.ts";

/** Parts from which the answers are built. */
interface ApiParts extends InvokeParts {
  readonly account: Account;
  /** The host's milliseconds for sandbox milliseconds. */
  readonly hostTime: (sandboxMs: number) => number;
}

type Answer = (
  parts: ApiParts,
  route: Route,
  request: WireRequest,
  caller: Caller,
) => WireResponse | Promise<WireResponse>;

const bodyOf = (request: WireRequest): Record<string, unknown> => {
  try {
    return JSON.parse(textOf(request) || "{}") as Record<string, unknown>;
  } catch {
    throw new AwsError("SerializationException", "The request body is not JSON.");
  }
};

/** The execution that a path names, once the caller may do this to it. */
function permitted(action: string, route: Route, caller: Caller): string {
  const arn = checkedExecutionArn(route.label);
  caller.require(`lambda:${action}`, [arn]);
  return arn;
}

const sdkTime = ({ hostTime }: ApiParts): WrittenTime => apiTime(hostTime);

const checkpoint: Answer = (parts, route, request, caller) => {
  const arn = permitted("CheckpointDurableExecution", route, caller);
  const {
    CheckpointToken: token,
    ClientToken: clientToken,
    Updates: updates,
  } = bodyOf(request) as {
    CheckpointToken?: string;
    ClientToken?: string;
    Updates?: OperationUpdate[];
  };
  const answer = parts.engine.checkpoint({ arn, token, clientToken, updates: updates ?? [] }, caller);
  return json({ CheckpointToken: answer.token ?? undefined, NewExecutionState: newState(parts, answer) });
};

const newState = (parts: ApiParts, { operations }: CheckpointAnswer) => ({
  Operations: operations.map((operation) => wireOperation(operation, sdkTime(parts))),
});

const state: Answer = (parts, route, _request, caller) => {
  const arn = permitted("GetDurableExecutionState", route, caller);
  const token = route.query.get("CheckpointToken") ?? undefined;
  const marker = route.query.get("Marker") ?? undefined;
  const page = parts.engine.state(arn, token, marker, pageSize(route.query));
  const operations = page.operations.map((operation) => wireOperation(operation, sdkTime(parts)));
  return json({ Operations: operations, NextMarker: page.nextMarker });
};

const ownArn = ({ account }: ApiParts, { functionName, version }: Execution): string =>
  functionArn(account, functionName, version);

const describe: Answer = (parts, route, _request, caller) => {
  const execution = parts.engine.execution(permitted("GetDurableExecution", route, caller));
  const data = route.query.get("IncludeExecutionData") !== "false";
  return json(wireExecution(execution, ownArn(parts, execution), data));
};

const history: Answer = (parts, route, _request, caller) => {
  const execution = parts.engine.execution(permitted("GetDurableExecutionHistory", route, caller));
  const events = parts.engine.executions.events(execution);
  const page = paged(isAsked(route.query, "ReverseOrder") ? events.toReversed() : events, route.query);
  const data = isAsked(route.query, "IncludeExecutionData");
  return json({ Events: page.items.map((event) => wireEvent(event, data)), NextMarker: page.nextMarker });
};

/** Needs the right on the function and on its versions ("Security and permissions for Lambda durable functions"). */
const list: Answer = (parts, route, _request, caller) => {
  const { name, qualifier } = functionReference(route.label, route.query.get("Qualifier") ?? undefined);
  caller.require("lambda:ListDurableExecutionsByFunction", [functionArn(parts.account, name, qualifier)]);
  if (!parts.functions.get(name)) {
    throw new AwsError("ResourceNotFoundException", `Function not found: ${functionArn(parts.account, name)}`, 404);
  }
  const version = qualifier === undefined ? undefined : parts.functions.target({ name, qualifier }).version;
  const page = paged(listed(parts.engine.executions.all(), name, version, route.query), route.query);
  const executions = page.items.map((execution) => wireSummary(execution, ownArn(parts, execution)));
  return json({ DurableExecutions: executions, NextMarker: page.nextMarker });
};

const stop: Answer = (parts, route, request, caller) => {
  const arn = permitted("StopDurableExecution", route, caller);
  const error = request.body.byteLength > 0 ? (bodyOf(request) as ErrorObject) : undefined;
  return json({ StopTimestamp: (parts.engine.stop(arn, error).endedAt ?? 0) / 1_000 });
};

type CallbackEnd = (request: WireRequest) => { status: "SUCCEEDED" | "FAILED"; result?: string; error?: ErrorObject };

const callbackDone =
  (action: string, end: CallbackEnd): Answer =>
  (parts, route, request, caller) => {
    const reference = callbackReference(route.label);
    caller.require(`lambda:${action}`, [reference.arn]);
    if (bytesOf(textOf(request)) > CALLBACK_PAYLOAD_BYTES) {
      throw new AwsError(
        "InvalidParameterValueException",
        `A callback's payload is at most ${CALLBACK_PAYLOAD_BYTES} bytes.`,
      );
    }
    parts.engine.completeCallback(route.label, reference, end(request));
    return json({});
  };

const heartbeat: Answer = (parts, route, _request, caller) => {
  const reference = callbackReference(route.label);
  caller.require("lambda:SendDurableExecutionCallbackHeartbeat", [reference.arn]);
  parts.engine.heartbeat(route.label, reference);
  return json({});
};

const succeeded: CallbackEnd = (request) => ({
  status: "SUCCEEDED",
  ...(request.body.byteLength > 0 ? { result: textOf(request) } : {}),
});
const failed: CallbackEnd = (request) => ({ status: "FAILED", error: bodyOf(request) as ErrorObject });

/** Limits of the account (API: GetAccountSettings): the default concurrency of a region ("Lambda quotas"). */
const accountSettings: Answer = (_parts, _route, _request, caller) => {
  caller.require("lambda:GetAccountSettings", ["*"]);
  return json({ AccountLimit: { ConcurrentExecutions: 1_000 } });
};

/** Function that answers each action; all refuse with AwsError. */
export const answers: Readonly<Record<string, Answer>> = {
  Invoke: invoke,
  GetAccountSettings: accountSettings,
  CheckpointDurableExecution: checkpoint,
  GetDurableExecutionState: state,
  GetDurableExecution: describe,
  GetDurableExecutionHistory: history,
  ListDurableExecutionsByFunction: list,
  StopDurableExecution: stop,
  SendDurableExecutionCallbackSuccess: callbackDone("SendDurableExecutionCallbackSuccess", succeeded),
  SendDurableExecutionCallbackFailure: callbackDone("SendDurableExecutionCallbackFailure", failed),
  SendDurableExecutionCallbackHeartbeat: heartbeat,
};
