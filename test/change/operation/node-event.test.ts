import { expect, test } from "vitest";
import { informNode } from "../../../lambdas/change/operation/node-event.ts";
import { withLog } from "../../../lambdas/logging.ts";
import { verbs } from "../../engine/durable-engine.ts";

const node = { name: "win-1", uid: "uid-1" };
const event = { type: "Normal", reason: "CasementRemoving", message: "drains the node" } as const;

/** Informs a Node. @returns the Events that were written, and the lines of the log */
async function informed(of: typeof node | null, refusal?: Error) {
  const events: unknown[] = [];
  const lines: object[] = [];
  const announce = async (...about: unknown[]): Promise<void> => {
    if (refusal) throw refusal;
    events.push(about);
  };
  const runtime = {
    settings: { cluster: "c" },
    now: () => 0,
    log: (line: string) => void lines.push(JSON.parse(line)),
  };
  const steps = verbs({ nodes: { announce } });
  await withLog(runtime, {}, () => informNode({ steps, operation: "remove-1", node: of }, event));
  return { events, lines };
}

test("An Event names the Node, its reason and its message", async () => {
  expect(await informed(node)).toEqual({
    events: [[node, "Normal", "CasementRemoving", "drains the node"]],
    lines: [],
  });
});

test("Work without a Node writes no Event", async () => {
  expect(await informed(null)).toEqual({ events: [], lines: [] });
});

test("An Event that is refused is a warning in the log, and the work goes on", async () => {
  const { events, lines } = await informed(node, new Error("events is forbidden"));
  expect(events).toEqual([]);
  expect(lines).toMatchObject([
    {
      level: "WARN",
      event: "refusal",
      operation: "remove-1",
      node: "win-1",
      service: "kubernetes",
      action: "create an Event",
      why: "events is forbidden",
    },
  ]);
});
