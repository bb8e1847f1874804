import { expect, test } from "vitest";
import { statuses, statusWords } from "../../../lambdas/messages/operation/statuses.ts";
import type { OperationStatus } from "../../../lambdas/records/records.ts";

test("each status of an operation has a sign and words", () => {
  const shown = (Object.keys(statuses) as OperationStatus[]).map((status) => [status, statusWords(status)]);
  expect(shown).toEqual([
    ["requested", "⏳ starting"],
    ["running", "⏳ running"],
    ["waiting", "❓ action required"],
    ["scheduled", "🗓️ scheduled"],
    ["succeeded", "✅ done"],
    ["failed", "❌ failed"],
    ["cancelled", "⏹️ cancelled"],
    ["refused", "🚫 refused"],
    ["not-started", "🚫 not started"],
  ]);
});
