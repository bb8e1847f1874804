import { broken, type FindingText, list } from "./finding-text.ts";

/** Text of the finding about operations whose execution Lambda does not show. */
export const ofExecutions = {
  "executions-hidden": ({ operations }: { readonly operations: readonly string[] }): FindingText =>
    broken(
      "AWS",
      `Lambda refuses to show the sweep the execution of ${list(operations)}: nothing ends ${operations.length === 1 ? "it, and what it holds" : "them, and what they hold"} is not given back`,
      "if a deployment took its function away, deploy the release before it until the operation has ended; otherwise look for a service control policy that denies `lambda:GetDurableExecution` (docs/runbook.md#an-operation-does-not-end)",
    ),
};
