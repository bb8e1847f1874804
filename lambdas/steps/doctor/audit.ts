import { audit } from "../ledger/audit.ts";
import type { DoctorCheck } from "./check.ts";

/**
 * Checks for copies of audit entries that are missing in the bucket, because S3 did not accept them and the sweep has
 * not written them yet.
 */
export const auditCopies: DoctorCheck = {
  area: "AWS",
  what: "the copies of the audit",
  observe: async ({ context }) => {
    const late = await audit(context).lateExports();
    const [oldest] = late;
    if (!oldest) return [];
    const operations = new Set(late.map(({ chain }) => chain.operation));
    return [{ kind: "audit-late", operations: [...operations], since: oldest.since }];
  },
};
