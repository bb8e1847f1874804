import { expect, test } from "vitest";
import { shownOperations } from "../../lib/sandbox/state-readers.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";

const ledgerOf = (
  operations: readonly Parameters<typeof operationRecord>[0][],
  nodes: readonly Parameters<typeof nodeRecord>[0][] = [],
) => ({
  operations: async () => operations.map((fields) => operationRecord(fields)),
  nodes: async () => nodes.map((fields) => nodeRecord(fields)),
});

test("the page calls an operation by its title, in the ledger's own word for its state", async () => {
  const shown = await shownOperations(ledgerOf([{ status: "refused" }, { status: "failed" }]));
  expect(shown).toMatchObject([
    { title: "Add 2 nodes to web", user: "U0OPERATOR", status: "refused" },
    { title: "Add 2 nodes to web", status: "failed" },
  ]);
});

test("the page lists neither looks nor dry runs", async () => {
  const shown = await shownOperations(
    ledgerOf([
      { id: "doctor-1", request: { command: "doctor" } },
      { id: "add-2", request: { command: "add", pool: "web", count: 2, dryRun: true } },
      { id: "thaw-3", request: { command: "thaw", pool: "web" } },
    ]),
  );
  expect(shown.map(({ id }) => id)).toEqual(["thaw-3"]);
});

test("the page has a failed node at the stage that failed", async () => {
  const failure = { stage: "features", why: "0x800f0954", left: "" } as const;
  const [shown] = await shownOperations(ledgerOf([{}], [{ status: "failed", stage: "teardown" as never, failure }]));
  expect(shown?.nodes).toEqual([{ name: "i-0ab12cd34ef567890", stage: "features", status: "failed" }]);
});
