import { Stack } from "aws-cdk-lib";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { aliasesFor } from "../function-aliases.ts";
import { asynchronousNames, type FunctionName, type FunctionShape, functionNames, functions } from "../functions.ts";
import { HandlerFunction, type HandlerFunctionProps } from "./handler-function.ts";

/** Properties that all handlers share. */
export interface HandlerFunctionsProps {
  readonly cluster: string;
  readonly bundles: Readonly<Record<FunctionName, string>>;
  /** Variables that all functions share: not CASEMENT_FUNCTIONS (the functions that it calls) and CASEMENT_ACCOUNT. */
  readonly environment: Record<string, string>;
  readonly logRetention: RetentionDays;
  readonly key: HandlerFunctionProps["key"];
  /** For functions that call Kubernetes. */
  readonly network: HandlerFunctionProps["network"];
  readonly frontDoorConcurrency: number;
}

const logicalId = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());

/** Creates every function of the table, each after the functions that it calls, because it gets their names. */
export function handlerFunctions(
  scope: Construct,
  props: HandlerFunctionsProps,
): Record<FunctionName, HandlerFunction> {
  const made = new Map<FunctionName, HandlerFunction>();
  const namesOfCalled = (name: FunctionName): string => {
    // The alias is a text, not a reference: an alias waits for its function's policy, which may name the caller.
    const called = Object.entries(aliasesFor(name)).map(([each, alias]) => [
      each,
      `${make(each as FunctionName).lambda.functionArn}:${alias}`,
    ]);
    return Stack.of(scope).toJsonString(Object.fromEntries(called));
  };
  const make = (name: FunctionName): HandlerFunction => {
    const known = made.get(name);
    if (known) return known;
    const shape: FunctionShape = functions[name];
    const handler = new HandlerFunction(scope, logicalId(name), {
      principal: name,
      cluster: props.cluster,
      description: `Casement ${name} of ${props.cluster}`,
      shape,
      bundle: props.bundles[name],
      environment: {
        ...props.environment,
        CASEMENT_FUNCTIONS: namesOfCalled(name),
        ...(shape.account ? { CASEMENT_ACCOUNT: shape.account } : {}),
      },
      logRetention: props.logRetention,
      key: props.key,
      asynchronous: asynchronousNames.includes(name),
      ...(props.network && shape.account ? { network: props.network } : {}),
      ...(name === "front-door" ? { reservedConcurrency: props.frontDoorConcurrency } : {}),
    });
    made.set(name, handler);
    return handler;
  };
  return Object.fromEntries(functionNames.map((name) => [name, make(name)])) as Record<FunctionName, HandlerFunction>;
}
