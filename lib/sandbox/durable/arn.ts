import { AwsError } from "../core/aws-service.ts";

/** Account and region in which the functions of the simulator live. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
}

/** A function as a caller named it. */
export interface FunctionReference {
  readonly name: string;
  readonly qualifier: string | undefined;
}

// API Invoke, parameter FunctionName: name, partial ARN or ARN, each with an optional version or alias.
const FUNCTION =
  /^(?:arn:aws[a-zA-Z-]*:lambda:)?(?:[a-z]{2}(?:-[a-z]+)+-\d:)?(?:\d{12}:)?(?:function:)?([a-zA-Z0-9-_]{1,64})(?::(\$LATEST|[a-zA-Z0-9-_]{1,128}))?$/;

// "Security and permissions for Lambda durable functions": the form of an execution's ARN.
const EXECUTION =
  /^arn:aws[a-zA-Z-]*:lambda:[a-z0-9-]+:\d{12}:function:([a-zA-Z0-9-_]+):([^/]+)\/durable-execution\/([^/]+)\/([^/]+)$/;

/**
 * Reads the FunctionName parameter.
 * @param qualifier the Qualifier parameter, when there was one
 * @throws AwsError InvalidParameterValueException when it is malformed or names two different versions
 */
export function functionReference(text: string, qualifier?: string): FunctionReference {
  const [, name, own] = FUNCTION.exec(text) ?? [];
  if (name === undefined) throw new AwsError("InvalidParameterValueException", `Invalid function name: ${text}`);
  if (own !== undefined && qualifier !== undefined && own !== qualifier) {
    const message = "The derived qualifier from the function name does not match the specified qualifier.";
    throw new AwsError("InvalidParameterValueException", message);
  }
  return { name, qualifier: own ?? qualifier };
}

/** ARN of a function, with its version or alias when given. */
export const functionArn = ({ accountId, region }: Account, name: string, qualifier?: string): string =>
  `arn:aws:lambda:${region}:${accountId}:function:${name}${qualifier === undefined ? "" : `:${qualifier}`}`;

/** ARN of a durable execution; its qualifier is always a version, never an alias. */
export const executionArn = (account: Account, name: string, version: string, execution: string, id: string): string =>
  `${functionArn(account, name, version)}/durable-execution/${execution}/${id}`;

/** @throws AwsError InvalidParameterValueException unless the text has the form of an execution's ARN */
export function checkedExecutionArn(text: string): string {
  if (EXECUTION.test(text)) return text;
  throw new AwsError("InvalidParameterValueException", `Invalid durable execution ARN: ${text}`);
}
