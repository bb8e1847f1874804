import { AwsError } from "../core/aws-service.ts";
import type { WireRequest } from "../core/wire.ts";

/** Contents of a request's path and query: the label of the path, decoded, and the parameters. */
export interface Route {
  readonly action: string;
  readonly label: string;
  readonly query: URLSearchParams;
}

const EXECUTION = "/2025-12-01/durable-executions/([^/]+)";
const CALLBACK = "/2025-12-01/durable-execution-callbacks/([^/]+)";

const route = (method: string, path: string, action: string) => ({ method, path: new RegExp(`^${path}/?$`), action });

/** The paths of client-lambda 3.1162 for what this product calls. */
const ROUTES = [
  route("GET", "/2016-08-19/(account-settings)", "GetAccountSettings"),
  route("POST", "/2015-03-31/functions/([^/]+)/invocations", "Invoke"),
  route("POST", `${EXECUTION}/checkpoint`, "CheckpointDurableExecution"),
  route("GET", `${EXECUTION}/state`, "GetDurableExecutionState"),
  route("GET", `${EXECUTION}/history`, "GetDurableExecutionHistory"),
  route("POST", `${EXECUTION}/stop`, "StopDurableExecution"),
  route("GET", EXECUTION, "GetDurableExecution"),
  route("GET", "/2025-12-01/functions/([^/]+)/durable-executions", "ListDurableExecutionsByFunction"),
  route("POST", `${CALLBACK}/succeed`, "SendDurableExecutionCallbackSuccess"),
  route("POST", `${CALLBACK}/fail`, "SendDurableExecutionCallbackFailure"),
  route("POST", `${CALLBACK}/heartbeat`, "SendDurableExecutionCallbackHeartbeat"),
];

/**
 * Finds what a request asks for.
 * @throws AwsError UnknownOperationException (404) when the path is none of Lambda's that are simulated
 */
export function routeOf({ method, url }: WireRequest): Route {
  const { pathname, searchParams } = new URL(url, "http://lambda");
  for (const candidate of ROUTES) {
    const [, label] = candidate.method === method ? (candidate.path.exec(pathname) ?? []) : [];
    if (label !== undefined) return { action: candidate.action, label: decoded(label), query: searchParams };
  }
  throw new AwsError("UnknownOperationException", `Unable to determine the operation of ${method} ${pathname}`, 404);
}

function decoded(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    throw new AwsError("InvalidParameterValueException", "The path is not properly percent-encoded.");
  }
}
