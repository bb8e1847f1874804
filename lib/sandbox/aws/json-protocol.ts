import { AwsError, type AwsService, type Caller } from "../core/aws-service.ts";
import { json, textOf, type WireRequest } from "../core/wire.ts";

/** One action of a JSON service: the parsed body in, what is answered out. */
export type JsonAction = (input: Record<string, unknown>, caller: Caller) => unknown;

function parsed(request: WireRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(request) || "{}");
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Answered below: AWS does not say what was wrong with the JSON.
  }
  throw new AwsError("SerializationException", "The request body could not be parsed.", 400);
}

/**
 * Wraps actions as a service that speaks AWS JSON (smithy.io, "AWS JSON 1.1 protocol"): the action in the header
 * X-Amz-Target, input and output as JSON, errors as `__type`.
 * @param name in the signature's scope
 * @param target prefix of X-Amz-Target: "secretsmanager", "AWSEvents"
 */
export function jsonService(
  name: string,
  target: string,
  actions: Readonly<Record<string, JsonAction>>,
  more: Pick<AwsService, "limits"> = {},
): AwsService {
  const contentType = "application/x-amz-json-1.1";
  return {
    name,
    ...more,
    action: (request) => {
      const [prefix, action] = (request.headers["x-amz-target"] ?? "").split(".");
      if (prefix === target && action && Object.hasOwn(actions, action)) return action;
      throw new AwsError("UnknownOperationException", `There is no action ${action ?? ""} here.`, 400);
    },
    answer: async (action, request, caller) =>
      json((await actions[action]?.(parsed(request), caller)) ?? {}, 200, contentType),
    refuse: (error) =>
      json({ __type: error.code, message: error.message, Message: error.message }, error.status, contentType, {
        "x-amzn-errortype": error.code,
      }),
  };
}
