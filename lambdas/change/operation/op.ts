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
