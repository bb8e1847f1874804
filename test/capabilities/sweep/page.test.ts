import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageOnce } from "../../../lambdas/capabilities/sweep/page.ts";
import { findReportedWaits, findWaits } from "../../../lambdas/change/waits/find.ts";
import type { Notice } from "../../../lambdas/messages/operation/escalations.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { operationRecord } from "../../messages/records.ts";

beforeAll(setUp);
afterAll(tearDown);

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** Pages people to a wait. @returns the pages that were sent, and the marks that were kept */
async function paged(waited: number, { isUrgent = false, last = null as number | null, isTaken = true } = {}) {
  const [sent, kept]: [string[], string[]] = [[], []];
  await run(async (ctx) => {
    const known = new Map(last === null ? [] : [["page approval:drain-1", { at: minutesAgo(last) }]]);
    const steps = verbs({
      reminders: { all: async () => known, keep: async (mark: string) => void kept.push(mark) },
      notices: {
        send: async ({ message }: Notice) => {
          if (!isTaken) throw new Error("no bus");
          sent.push(message);
        },
      },
    });
    const notice = (now: string): Notice => ({
      ...{ kind: "approval", operation: "drain-1", until: null },
      message: Number.isNaN(Date.parse(now)) ? "no time" : "page",
    });
    await pageOnce(ctx, steps, { name: "approval:drain-1", since: minutesAgo(waited), isUrgent }, notice);
    return null;
  });
  return { sent: sent.length, kept };
}

describe("A page to something that waits", () => {
  const once = { sent: 1, kept: ["page approval:drain-1"] };
  const none = { sent: 0, kept: [] };

  test("is sent when a reminder is due, and kept, so that no other follows", async () => {
    expect(await paged(24 * 60)).toEqual(once);
    expect(await paged(24 * 60, { last: 60 })).toEqual(none);
    expect(await paged(1)).toEqual(none);
  });

  test("is sent sooner to what keeps a node away", async () => {
    expect(await paged(31, { isUrgent: true })).toEqual(once);
    expect(await paged(1, { isUrgent: true })).toEqual(none);
  });

  test("is due again when the bus did not take it", async () => {
    expect(await paged(24 * 60, { isTaken: false })).toEqual(none);
  });
});

describe("What waits for a person", () => {
  const drain = operationRecord({ id: "drain-1", request: { command: "drain", node: "win-1", dryRun: false } });
  const windows = (name: string, more: object = {}, os = "windows") => ({
    metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": os } },
    spec: { unschedulable: true, ...more },
  });
  const asked: string[] = [];
  const steps = verbs({
    ledger: {
      unfinished: async () => [],
      nodes: async () => [],
      operation: async (id: string) => (id === "drain-1" ? drain : undefined),
    },
    breakGlass: { open: async () => [{ operation: "drain-1" }, { operation: "reboot-9" }] },
    cordons: {
      find: async (uid: string) => {
        asked.push(uid);
        const kept = uid === "uid-win-2" ? {} : { keptAt: "2026-11-21T14:00:00.000Z" };
        return { node: uid.slice(4), operation: "drain-1", index: 0, unproven: { isQuarantined: false }, ...kept };
      },
    },
    nodes: {
      all: async () => {
        throw new Error("503");
      },
    },
  });

  test("is found among cordoned Windows nodes that were left to people, and among reviews", async () => {
    const nodes = [
      windows("win-1"),
      windows("win-2"),
      windows("win-3", { unschedulable: false }),
      windows("l-1", {}, "linux"),
    ];
    const waits = await findWaits(steps, nodes, []);
    expect(waits.map(({ kind, node, operation }) => [kind, node, operation])).toEqual([
      ...[["unproven", "win-1", "drain-1"]],
    ]);
    expect(asked).toEqual(["uid-win-1", "uid-win-2"]);
  });

  test("is reported without nodes while the cluster does not list them", async () => {
    expect(await findReportedWaits(steps)).toEqual([]);
  });
});
