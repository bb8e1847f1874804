import { AwsError } from "../core/aws-service.ts";
import { type Account, type FunctionReference, functionArn } from "./arn.ts";
import { INVOCATION_SECONDS } from "./limits.ts";

/** Context that Lambda hands to a handler beside the event. */
export interface LambdaContext {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly awsRequestId: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly callbackWaitsForEmptyEventLoop: boolean;
  /** Milliseconds of the host's time until the invocation is ended. */
  getRemainingTimeInMillis(): number;
}

/** Configuration of a function; for what is not given, Lambda's most generous value counts. */
export interface FunctionSettings {
  /** Makes it a durable function whose executions end after so long (1 to 31,622,400). */
  readonly executionTimeoutSeconds?: number;
  /** Seconds that one invocation may take, at most 900. */
  readonly timeoutSeconds?: number;
  /** Aliases of its published version beside those that every function has. */
  readonly aliases?: readonly string[];
  /** Reserved concurrency; none: as many at once as are asked for. */
  readonly concurrency?: number;
}

/** A handler as a module exports it; its own types are its own affair. */
export type Handler = (event: never, context: never) => Promise<unknown>;

/** One function with its one published version. */
export interface LambdaFunction {
  readonly name: string;
  readonly settings: FunctionSettings;
  readonly handler: Handler;
}

/** Target of an invocation: a version of a function, by whatever alias. */
export interface Target {
  readonly function: LambdaFunction;
  /** "1", or "$LATEST" when asked for by that name. */
  readonly version: string;
  /** As it was asked for: with alias, version or neither. */
  readonly arn: string;
}

/** Every function of the simulator has one version, "1", and the aliases of it that the stack deploys. */
const VERSIONS: Readonly<Record<string, string>> = { live: "1", rights: "1", "1": "1", $LATEST: "$LATEST" };

/** The functions that were mounted. */
export interface Functions {
  mount(added: LambdaFunction): void;
  get(name: string): LambdaFunction | undefined;
  names(): string[];
  /** The ARN that a reference names, whether or not there is such a function. */
  arn(reference: FunctionReference): string;
  /**
   * Resolves a reference to a version of a function.
   * @throws AwsError ResourceNotFoundException; InvalidParameterValueException for a durable function without qualifier
   */
  target(reference: FunctionReference): Target;
}

/** Builds the empty registry. */
export function functionRegistry(account: Account): Functions {
  const functions = new Map<string, LambdaFunction>();
  return {
    mount: (added) => {
      functions.set(added.name, added);
    },
    get: (name) => functions.get(name),
    names: () => [...functions.keys()],
    arn: ({ name, qualifier }) => functionArn(account, name, qualifier),
    target: ({ name, qualifier }) => {
      const arn = functionArn(account, name, qualifier);
      const found = functions.get(name);
      const isAlias = found?.settings.aliases?.some((alias) => alias === qualifier);
      const version = isAlias ? "1" : VERSIONS[qualifier ?? "$LATEST"];
      if (!found || version === undefined)
        throw new AwsError("ResourceNotFoundException", `Function not found: ${arn}`, 404);
      if (isDurable(found) && qualifier === undefined) {
        // AWS documentation, "Invoking durable Lambda functions", qualified ARNs; words as reported from the service.
        const message = "You cannot invoke a durable function using an unqualified ARN.";
        throw new AwsError("InvalidParameterValueException", message);
      }
      return { function: found, version, arn };
    },
  };
}

/** Whether executions of this function are checkpointed. */
export const isDurable = ({ settings }: LambdaFunction): boolean => settings.executionTimeoutSeconds !== undefined;

/** Milliseconds that one invocation of this function may take. */
export const invocationLimitMs = ({ settings }: LambdaFunction): number =>
  Math.min(settings.timeoutSeconds ?? INVOCATION_SECONDS, INVOCATION_SECONDS) * 1_000;
