import { AwsError, type Caller } from "../../core/aws-service.ts";
import { readInput, type Schema, writeOutput } from "./query-protocol.ts";

/** An operation's schema in @aws-sdk/client-ec2: name, input and output. */
type OperationSchema = readonly [
  kind: 9,
  namespace: string,
  name: string,
  traits: unknown,
  input: Schema,
  output: Schema,
];

/** One API action: a form in, XML out. */
export interface Ec2Action {
  readonly name: string;
  answer(form: URLSearchParams, caller: Caller, requestId: string): string;
}

interface Behaviour<Input, Output> {
  /** Checks the permissions; if omitted the action needs one for "*", as Describe actions do. */
  permit?(input: Input, caller: Caller): void;
  perform(input: Input, caller: Caller): Output;
}

/**
 * Builds an action from AWS's schema and a function. `DryRun` stops after the permission check (API Reference, "Common
 * parameters").
 */
export function ec2Action<Input extends { DryRun?: boolean | undefined }, Output extends object>(
  schema: unknown,
  behaviour: Behaviour<Input, Output>,
): Ec2Action {
  const [, , name, , input, output] = schema as OperationSchema;
  const permit = behaviour.permit ?? ((_: Input, caller: Caller) => caller.require(`ec2:${name}`, ["*"]));
  return {
    name,
    answer: (form, caller, requestId) => {
      const read = readInput<Input>(input, form);
      permit(read, caller);
      if (read.DryRun)
        throw new AwsError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
      return writeOutput(name, output, behaviour.perform(read, caller), requestId);
    },
  };
}
