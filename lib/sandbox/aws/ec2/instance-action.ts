import { type Ec2Action, ec2Action } from "./action.ts";
import { permitInstances } from "./find.ts";
import type { Ec2Records } from "./records.ts";

/** An action's request about one instance. */
interface OneInstance {
  readonly InstanceId: string | undefined;
  readonly DryRun?: boolean | undefined;
}

/** Builds an action on one instance, whose tags are the condition keys of its permission. */
export const instanceAction = <Input extends OneInstance, Output extends object>(
  records: Ec2Records,
  schema: unknown,
  name: string,
  perform: (input: Input) => Output,
): Ec2Action =>
  ec2Action<Input, Output>(schema, {
    permit: (input, caller) => permitInstances(records, caller, `ec2:${name}`, [input.InstanceId ?? ""]),
    perform,
  });
