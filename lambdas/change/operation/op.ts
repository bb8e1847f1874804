import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../../commands/request.ts";
import { type MessageSettings, messageSettings } from "../../messages/operation/links.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";

/** The context of a durable execution, and the services that its steps call. */
export interface DurableSteps {
  readonly ctx: DurableContext;
  readonly steps: Steps;
}

/** One execution of an operation's workflow, and its start event. */
export interface Execution extends DurableSteps {
  readonly start: Start;
  /** Receives the number of the next execution once this one has left its operation in the ledger to it. */
  readonly onLeft?: (next: number) => void;
}

/** Result of an execution that leaves its operation in the ledger. */
export interface LeftResult {
  /** Number of the execution that may go on. */
  readonly leftTo: number;
}

/** Carries out an execution, and makes its result say whether it has left its operation in the ledger. */
export async function runLeaving(
  execution: Execution,
  run: (execution: Execution) => Promise<void>,
): Promise<LeftResult | undefined> {
  let leftTo: number | null = null;
  const onLeft = (next: number): void => {
    leftTo = next;
  };
  await run({ ...execution, onLeft });
  return leftTo === null ? undefined : { leftTo };
}

/** Settings that an operation keeps from its beginning. */
export interface OperationSettings extends MessageSettings {
  readonly runtimeVersion: string;
}

/** Takes the settings of an operation from a release document. */
export const settingsOf = ({ version, configuration }: Pick<ReleaseDocument, "version" | "configuration">) =>
  ({ runtimeVersion: version, ...messageSettings(configuration) }) satisfies OperationSettings;

/** An operation that has begun. */
export interface Op<R extends Request = Request> extends Execution {
  readonly request: R;
  readonly settings: OperationSettings;
}
