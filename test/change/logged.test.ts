import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { ApiException } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { markNodes, unmarkLeft } from "../../lambdas/change/emptying/soft-taint.ts";
import { giveBackCordon } from "../../lambdas/change/node/cordon.ts";
import { isAccepted, nameOfStart } from "../../lambdas/change/operation/accepted.ts";
import { CORDONED_BY, SOON_REBOOTED } from "../../lambdas/cluster/node-keys.ts";
import type { Start } from "../../lambdas/commands/request.ts";
import { withLog } from "../../lambdas/logging.ts";
import { verbs } from "../engine/durable-engine.ts";
import { NOW, operationRecord } from "../messages/records.ts";
import { cordonRecord, node } from "./node/a-node.ts";

const asker = { userId: "U0OPERATOR", userName: "olivia", channel: "C0" };
const start: Start = {
  ...{ operation: "drain-1", request: { command: "drain", node: "win-1", dryRun: false }, asker, notAfter: 0 },
};

/** Runs work whose log lines are read. @returns the fields of each line, and the error */
async function logged(work: () => Promise<unknown>) {
  const lines: object[] = [];
  const log = (line: string) => void lines.push(JSON.parse(line));
  const runtime = { settings: { cluster: "c" }, now: () => Date.parse(NOW), log };
  const error = await withLog(runtime, {}, work).then(
    () => null,
    (reason: Error) => reason.message,
  );
  return { lines, error };
}

/** A line of the log on something that was refused. */
const refusal = (fields: object) => ({
  time: NOW,
  level: "WARN",
  event: "refusal",
  ...fields,
});

/** Accepts a start. @param accepted the request that the front door holds */
const accepted = (changes: Partial<Start>, held: object | undefined, name = nameOfStart(start)) => {
  const arn = `arn:aws:lambda:us-west-2:111122223333:function:drain-node:1/durable-execution/${name}/5f0c`;
  const ctx = { executionContext: { durableExecutionArn: arn } } as DurableContext;
  const steps = verbs({ now: () => Date.parse(NOW), ledger: { accepted: async () => held } });
  return logged(() => isAccepted({ ctx, steps, start: { ...start, ...changes } }));
};

test("A start that is not the operation's own is logged with the difference", async () => {
  const held = { request: start.request, requester: asker, requestedAt: NOW };
  const line = (difference: string) => [
    refusal({ operation: "drain-1", why: `its start is not its own: ${difference}` }),
  ];
  expect((await accepted({}, held)).lines).toEqual([]);
  const another: Start["request"] = { command: "drain", node: "win-2", dryRun: false };
  expect((await accepted({ request: another }, held)).lines).toEqual(line("another request"));
  expect((await accepted({}, { ...held, requester: { ...asker, userId: "U0OTHER" } })).lines).toEqual(
    line("another requester"),
  );
  expect((await accepted({}, held, "again")).lines).toEqual(line("another execution"));
  const late = { ...held, requestedAt: "2026-11-21T13:00:00.000Z" };
  expect((await accepted({}, late)).lines).toEqual(line("too late"));
  expect(await accepted({}, undefined)).toEqual({
    lines: [refusal({ operation: "drain-1", why: "the front door holds no request of it" })],
    error: "the front door has no record of `drain-1`; if it was requested before an upgrade, run the command again",
  });
});

test("An Event that the API server refuses is logged, and the cordon is given back all the same", async () => {
  const steps = verbs({
    cordons: {
      find: async () => ({ ...cordonRecord, outcome: null, planned: null }),
      plan: async () => true,
      settle: async (_open: object, outcome: string) => ({ outcome }),
    },
    nodes: {
      read: async () => ({
        metadata: { ...node, annotations: { [CORDONED_BY]: "remove-1" } },
        spec: { unschedulable: true },
      }),
      change: async () => undefined,
      announce: async () => {
        throw new ApiException(403, "refused", { message: "no right" }, {});
      },
    },
  });
  const { lines, error } = await logged(() => giveBackCordon(steps, node.uid, "remove-1", false));
  expect(error).toBeNull();
  expect(lines).toEqual([
    refusal({ service: "kubernetes", action: "create an Event", node: node.name, why: "no right" }),
  ]);
});

test("Waiting nodes are marked, others lose the operation's mark, and a mark that is refused is logged", async () => {
  const tainted = (name: string, value?: string) => ({
    metadata: { name, uid: `uid-${name}` },
    spec: { taints: value === undefined ? [] : [{ key: SOON_REBOOTED, value, effect: "PreferNoSchedule" }] },
  });
  const nodes = [
    tainted("new"),
    tainted("marked", "reboot-1"),
    tainted("over", "reboot-1"),
    tainted("others", "reboot-9"),
    tainted("free"),
    tainted("nobody", ""),
  ];
  const done: string[] = [];
  const steps = verbs({
    nodes: {
      all: async () => nodes,
      prefersNoPods: async ({ metadata }: { metadata: { name: string } }, operation: string | null) => {
        if (metadata.name === "over") throw new Error("403");
        done.push(`${metadata.name} ${operation}`);
      },
    },
    ledger: {
      operation: async (id: string) =>
        id === "reboot-9" ? operationRecord({ endedAt: NOW }) : operationRecord({ id, endedAt: null }),
    },
  });
  const meant = new Set(["uid-new", "uid-marked", "uid-others", "uid-nobody"]);
  const { lines } = await logged(() => markNodes(steps, "reboot-1", meant));
  expect(done).toEqual(["new reboot-1"]);
  expect(lines).toEqual([
    refusal({ service: "kubernetes", action: "change the taint of a waiting node", why: "403", node: "over" }),
  ]);
  await unmarkLeft(steps, nodes);
  expect(done).toEqual(["new reboot-1", "others null"]);
});
