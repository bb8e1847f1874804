import { Stack } from "aws-cdk-lib";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type FunctionName, type FunctionShape, functionNames, functions } from "../functions.ts";
import { callsKubernetes, starts } from "../permissions.ts";
import { HandlerFunction, type HandlerFunctionProps, LIVE } from "./handler-function.ts";

/** What all handlers share. */
export interface HandlerFunctionsProps {
  readonly cluster: string;
  readonly bundles: Readonly<Record<FunctionName, string>>;
  /** Without CASEMENT_FUNCTIONS: each is told the names of those that it starts. */
  readonly environment: Record<string, string>;
  readonly logRetention: RetentionDays;
  /** For functions that call Kubernetes. */
  readonly network: HandlerFunctionProps["network"];
  readonly frontDoorConcurrency: number;
}

const logicalId = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());

/** Every function of the table; whom a function starts is made before it, because it is told its name. */
export function handlerFunctions(
  scope: Construct,
  props: HandlerFunctionsProps,
): Record<FunctionName, HandlerFunction> {
  const made = new Map<FunctionName, HandlerFunction>();
  const liveNames = (name: FunctionName): string => {
    // Spelled out instead of referred to: an alias waits for its function's rights, and those may name who starts it.
    const started = (starts[name] ?? []).map((each) => [
      each,
      `${make(each as FunctionName).lambda.functionArn}:${LIVE}`,
    ]);
    return Stack.of(scope).toJsonString(Object.fromEntries(started));
  };
  const make = (name: FunctionName): HandlerFunction => {
    const known = made.get(name);
    if (known) return known;
    const { entry: _, ...shape }: FunctionShape = functions[name];
    const isFrontDoor = name === "front-door";
    const handler = new HandlerFunction(scope, logicalId(name), {
      description: `Casement ${name} of ${props.cluster}`,
      shape,
      bundle: props.bundles[name],
      environment: { ...props.environment, CASEMENT_FUNCTIONS: liveNames(name) },
      logRetention: props.logRetention,
      asynchronous: !isFrontDoor,
      ...(props.network && callsKubernetes(name) ? { network: props.network } : {}),
      ...(isFrontDoor ? { reservedConcurrency: props.frontDoorConcurrency } : {}),
    });
    made.set(name, handler);
    return handler;
  };
  return Object.fromEntries(functionNames.map((name) => [name, make(name)])) as Record<FunctionName, HandlerFunction>;
}
