import type { z } from "zod";
import { AwsError, type AwsService, type Caller } from "../core/aws-service.ts";
import { json, textOf, type WireRequest } from "../core/wire.ts";

/** One action of a JSON service: the shape of its input, and a function. */
export interface JsonAction {
  answer(input: unknown, caller: Caller): unknown;
}

/**
 * Builds an action from the shape of its input.
 * @param invalid code of the service for an input that does not fit
 */
export const jsonAction = <Shape extends z.ZodType>(
  shape: Shape,
  answer: (input: z.output<Shape>, caller: Caller) => unknown,
  invalid = "ValidationException",
): JsonAction => ({
  answer: (input, caller) => {
    const read = shape.safeParse(input);
    if (read.success) return answer(read.data, caller);
    const faults = read.error.issues.map(
      (issue) => `Value at '${issue.path.join(".")}' failed to satisfy constraint: ${issue.message}`,
    );
    throw new AwsError(
      invalid,
      `${faults.length} validation error${faults.length > 1 ? "s" : ""} detected: ${faults.join("; ")}`,
    );
  },
});

function parsed(request: WireRequest): unknown {
  try {
    return JSON.parse(textOf(request) || "{}");
  } catch {
    // AWS does not tell the fault in the JSON.
    throw new AwsError("SerializationException", "The request body could not be parsed.");
  }
}

/** Reads the action of an AWS JSON request from its header X-Amz-Target, "secretsmanager.GetSecretValue". */
export function targetAction(request: WireRequest, prefix: string, isKnown: (action: string) => boolean): string {
  const target = request.headers["x-amz-target"] ?? "";
  const action = target.slice(target.indexOf(".") + 1);
  if (target === `${prefix}.${action}` && isKnown(action)) return action;
  throw new AwsError("UnknownOperationException", `There is no action ${target} here.`);
}

/** Writes an error as AWS JSON services do. */
export const jsonRefusal = (error: AwsError, contentType: string): ReturnType<typeof json> =>
  json({ __type: error.code, message: error.message, Message: error.message }, error.status, contentType, {
    "x-amzn-errortype": error.code,
  });

/**
 * Wraps actions as a service that speaks AWS JSON (smithy.io, "AWS JSON 1.1 protocol"): the action in the header
 * X-Amz-Target, input and output as JSON, errors as `__type`.
 * @param name in the signature's scope
 * @param prefix of X-Amz-Target: "secretsmanager", "AWSEvents"
 */
export function jsonService(
  name: string,
  prefix: string,
  actions: Readonly<Record<string, JsonAction>>,
  more: Pick<AwsService, "limits"> = {},
): AwsService {
  const contentType = "application/x-amz-json-1.1";
  return {
    name,
    ...more,
    action: (request) => targetAction(request, prefix, (action) => Object.hasOwn(actions, action)),
    answer: async (action, request, caller) =>
      json((await actions[action]?.answer(parsed(request), caller)) ?? {}, 200, contentType),
    refuse: (error) => jsonRefusal(error, contentType),
  };
}
