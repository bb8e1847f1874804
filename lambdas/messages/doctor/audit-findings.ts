import { localDate } from "../slack/age.ts";
import { code, counted, some } from "../slack/text.ts";
import { type FindingText, warning } from "./finding-text.ts";

/** Text of the finding about copies of the audit that are late. */
export const ofAudit = {
  "audit-late": ({
    operations,
    since,
  }: {
    readonly operations: readonly string[];
    readonly since: string;
  }): FindingText =>
    warning(
      "AWS",
      `the audit of ${counted(operations.length, "operation")} is not in the bucket yet, since ${localDate(since)}: ${some(operations.map(code), 5)}`,
      "the sweep copies it within 15 minutes once S3 takes it; if this stays, see docs/runbook.md, “The audit”",
    ),
};
