import { afterEach, describe, expect, test } from "vitest";
import type { Approval } from "../../../../lambdas/records/approval.ts";
import { doorPartition, keys, openCordons, UNFINISHED } from "../../../../lambdas/records/ledger-table.ts";
import type { OperationRecord } from "../../../../lambdas/records/records.ts";
import { executionName } from "../../../../lambdas/steps/executions.ts";
import { type FunctionName, functionNames } from "../../../../lib/functions.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { operationRecord } from "../../../messages/records.ts";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { forcedDrain } from "../../on-web.ts";
import { otherWeb, type SeedNode, shortName, stateOf, web } from "../../others.ts";
import { ask, askApproval, withSeedNodes } from "../../removal.ts";
import { thief } from "../../stealing.ts";

let here: Journey;
afterEach(() => here.close());

/** Everybody but the front door, which says what people have requested and decided. */
const roles = functionNames.filter((name) => name !== "front-door");

const COMMANDS = { remove: "remove-node", drain: "drain-node", reboot: "reboot-node" } as const;

/** An approval that nobody has given. */
const approved: Approval = {
  ...{ state: "approved", asking: 1, hash: "", needs: 0, roles: ["approver"], pool: "web", worse: [] },
  record: { action: "remove", options: {}, nodes: [], losses: [], blockers: null, policy: {} },
  until: "2999-01-01T00:00:00.000Z",
  card: { blocks: [] },
  votes: [{ userId: "U0APPROVER", decision: "approve", at: "2026-11-21T03:00:00.000Z" }],
};

/** An operation that nobody has requested, as one that waits for its time. */
function forged(command: keyof typeof COMMANDS, node: string, role: string): OperationRecord & Record<string, unknown> {
  const id = `${command}-${executionName(role, command).slice(0, 8)}`;
  const at = new Date(Date.now() - 60_000).toISOString();
  return {
    ...operationRecord({ id, status: "scheduled", requestedAt: at, endedAt: null, approval: approved }),
    request: { command, node, dryRun: false } as never,
    ...(role.length % 2 === 0
      ? { origin: { by: "rule", rule: "mirrors" } as const }
      : { asker: { userId: "U0OPERATOR", userName: "olivia", channel: demo.slack.channelId } }),
    executionArn: "arn:aws:lambda:us-west-2:111122223333:function:f:1/durable-execution/a/b",
    scheduled: {
      ...{ from: at, until: null, timeZone: "UTC", isDate: false, wakeAt: at },
      ...{ part: 1, parkedAt: at, tries: 0 },
    },
    [UNFINISHED.hash]: demo.cluster.name,
  };
}

/** Tries by every write of a role to have a node disturbed. */
async function tryHarm(role: FunctionName, node: SeedNode): Promise<void> {
  const stolen = thief(here, role);
  for (const command of ["remove", "drain", "reboot"] as const) {
    const record = forged(command, shortName(node), role);
    const { id, request, asker, origin } = record;
    await stolen.put({ ...record, ...keys.operation(id) });
    await stolen.put({ ...keys.accepted(id), request, requester: asker, requestedAt: record.requestedAt });
    await stolen.put({ ...keys.decision(doorPartition(id), "dialog", 1), decision: "submitted", userId: "U0OPERATOR" });
    await stolen.put({ ...keys.vote(doorPartition(id), 1, "U0APPROVER"), decision: "approve", userId: "U0APPROVER" });
    const start = { operation: id, request, asker, origin, notAfter: 9_999_999_999 };
    await stolen.start(COMMANDS[command], executionName(id, "part", "2"), { ...start, continues: 2 });
    await stolen.start(COMMANDS[command], executionName(id), start);
  }
}

/** Every line of a log that names a refused start. */
const refusals = (): string[] =>
  here.logged.map(({ line }) => line).filter((line) => line.includes("the front door holds no request"));

describe("whoever has stolen a role", () => {
  test("has no node terminated, rebooted, drained or uncordoned by it, and what was started is logged", async () => {
    here = await withSeedNodes();
    for (const role of roles) {
      await tryHarm(role, web);
      await thief(here, role).put({
        ...{ ...keys.cordon("uid-1"), node: otherWeb.name, uid: "uid-1", instanceId: otherWeb.instanceId },
        ...{ operation: "drain-00000000", index: 0, wasUnschedulable: false, adds: [], version: 1 },
        ...{ [UNFINISHED.hash]: openCordons(demo.cluster.name), [UNFINISHED.range]: "2026-11-21T03:00:00.000Z" },
      });
    }
    await here.pass(40);
    for (const node of [web, otherWeb]) {
      expect(stateOf(here, node)).toBe("running");
      expect(nodeNamed(here, node.name)?.spec?.unschedulable ?? false).toBe(false);
    }
    expect(refusals().length).toBeGreaterThan(0);
  });

  test("has no approval counted, and no vote of the requester", async () => {
    here = await withSeedNodes();
    const { id, approval, callbacks } = await askApproval(here, web);
    for (const role of roles)
      for (const userId of ["U0APPROVER", "U0OPERATOR"]) {
        const vote = {
          decision: "approve",
          userId,
          cause: "1.1",
          subject: "approval",
          callback: "",
          at: approval?.askedAt,
        };
        const stolen = thief(here, role);
        expect(await stolen.put({ ...keys.vote(doorPartition(id), 1, userId), ...vote, plan: approval?.hash })).toBe(
          "AccessDeniedException",
        );
        await stolen.put({ ...keys.vote(keys.operation(id).pk, 1, userId), ...vote, plan: approval?.hash });
        await stolen.wake(callbacks.approval ?? "", { decision: "approve", userId });
      }
    await here.pass(10);
    expect((await newest(here)).operation.approval).toMatchObject({ state: "open", votes: [] });
    expect(stateOf(here, web)).toBe("running");
  });

  test("does not confirm a removal in its dialog", async () => {
    here = await withSeedNodes();
    await ask(here, shortName(web));
    const { id, callbacks } = (await newest(here)).operation;
    for (const role of roles) {
      const stolen = thief(here, role);
      const answer = { decision: "submitted", userId: "U0OPERATOR", cause: "1.1", callback: callbacks.dialog };
      await stolen.put({ ...keys.decision(keys.operation(id).pk, "dialog", 1), ...answer });
      await stolen.wake(callbacks.dialog ?? "", answer);
    }
    await settled(here);
    expect((await newest(here)).operation.status).toBe("cancelled");
    expect(stateOf(here, web)).toBe("running");
  });

  test("has no operation of a person's done again after its end", async () => {
    here = await withSeedNodes();
    await here.type("operator", forcedDrain);
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 5, "the question");
    await here.type("approver", `/win approve ${(await newest(here)).operation.id}`);
    await settled(here);
    const { operation } = await newest(here);
    expect(operation.status).toBe("succeeded");
    await here.type("operator", `/win uncordon ${shortName(web)}`);
    await settled(here);
    const at = new Date(Date.now()).toISOString();
    const again = {
      ...operation,
      ...{ endedAt: null, status: "scheduled", [UNFINISHED.hash]: demo.cluster.name },
      scheduled: { from: at, until: null, timeZone: "UTC", isDate: false, wakeAt: at, part: 1, parkedAt: at, tries: 0 },
    };
    const stolen = thief(here, "sweep");
    expect(await stolen.put({ ...again, ...keys.operation(operation.id) })).toBe("done");
    expect(await stolen.put({ ...keys.approvalUse(operation.id, 1), execution: "arn:none" })).toBe("done");
    await here.pass(20);
    expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
    expect(here.logged.some(({ line }) => line.includes("no execution has left it to the schedule"))).toBe(true);
  });

  test("lifts no freeze, unless the role is the one that sets them", async () => {
    here = await withSeedNodes();
    await here.type("operator", '/win freeze --reason "release night"');
    await settled(here);
    for (const role of functionNames.filter((name) => name !== "stop-changes")) {
      const stolen = thief(here, role);
      const key = keys.stop("freeze#cluster");
      expect(await stolen.update(key, { expiresAt: 0 })).toBe("AccessDeniedException");
      expect(await stolen.put({ ...key, expiresAt: 0 })).toBe("AccessDeniedException");
    }
  });
});

test("with an empty policy nothing starts, whoever asks and whatever the ledger holds", async () => {
  here = await withSeedNodes({ configuration: { policy: {} } });
  for (const command of ["remove", "drain", "reboot", "cordon", "assist", "guard", "add"])
    await here.type("operator", command === "add" ? "/win add web" : `/win ${command} ${shortName(web)}`);
  for (const role of roles) await tryHarm(role, web);
  await here.pass(20);
  expect(stateOf(here, web)).toBe("running");
  expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
  expect((await here.operations()).filter(({ status }) => status === "succeeded")).toEqual([]);
});
