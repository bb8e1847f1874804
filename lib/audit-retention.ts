import { OPERATION_DAYS } from "../lambdas/records/retention.ts";
import { type Deployment, LOG_DAYS } from "./deployment.ts";

type Kept = Pick<Deployment, "retention"> & { readonly aws: Pick<Deployment["aws"], "logRetentionDays" | "audit"> };

/** Days for which the ledger keeps an audit's entries. */
const entryDays = ({ retention }: Kept): number => retention.operations + OPERATION_DAYS;

/** Days for which logs are kept: as configured, or as long as the audit's entries, whose heads stand in them. */
export const logRetention = (deployment: Kept): (typeof LOG_DAYS)[number] =>
  deployment.aws.logRetentionDays ?? LOG_DAYS.find((days) => days >= entryDays(deployment)) ?? 3653;

/** Finds what a reviewer should know about a deployment whose audit is kept less well than it could be; empty if nothing. */
export function auditWarnings(deployment: Kept): { readonly id: string; readonly message: string }[] {
  const { logRetentionDays: days, audit } = deployment.aws;
  const entries = entryDays(deployment);
  return [
    ...(days !== undefined && days < entries
      ? [
          {
            id: "casement:logs",
            message: `aws.logRetentionDays is ${days}, and the audit's entries are kept for ${entries} days: the heads in the logs expire first. Leave the value out.`,
          },
        ]
      : []),
    ...(audit === undefined
      ? [
          {
            id: "casement:object-lock",
            message:
              "aws.audit is not set: administrators can delete the audit's copies. At a first deployment set aws.audit.objectLock; for a bucket that exists write objectLock: none.",
          },
        ]
      : []),
  ];
}
