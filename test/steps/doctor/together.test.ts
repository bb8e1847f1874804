import { expect, test } from "vitest";
import type { Examination } from "../../../lambdas/messages/doctor/doctor.ts";
import { together } from "../../../lambdas/steps/doctor/doctor.ts";

test("What several accounts found and skipped alike is said once, and their checks are added up", () => {
  const down: Examination = {
    findings: [{ kind: "down", area: "Cluster", why: "503" } as never],
    looked: 1,
    skipped: ["the credential's end", "the account's rights"],
  };
  const other = { ...down, skipped: ["the account's rights", "the Linux nodes"] };
  expect(together([down, other, down])).toMatchObject({
    findings: down.findings,
    looked: 3,
    skipped: ["the credential's end", "the account's rights", "the Linux nodes"],
  });
});
