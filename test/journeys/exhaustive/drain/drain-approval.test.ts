import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { keys } from "../../../../lambdas/records/ledger-table.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { repeatWrites } from "../../ledger-writes.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { allowDisruptions, guardedPod, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { askApproval, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const approvalNow = async () => (await newest(here)).operation.approval;

/** Two people beside the requester may approve. */
const twoApprovers = (needs: number, command = "drain") => ({
  configuration: {
    people: { operator: ["U0OPERATOR"], approver: ["U0APPROVER", "U0VISITOR0"] },
    approvals: { [command]: { needs } },
  },
});

/** Types a command and waits for its card. */
async function asked(command: string): Promise<string> {
  await here.type("operator", `/win ${command}`);
  await here.until(() => /\[Approve\]/.test(openly(here).at(-1) ?? ""), 5, "the card");
  return openly(here).at(-1) ?? "";
}

const askedToDrain = () => asked(`drain ${SHORT} --force ${web.name}`);

async function ended(status: string): Promise<string> {
  await settled(here, 60);
  expect(await heldBack(here)).toEqual([]);
  const { operation } = await newest(here);
  expect(operation.status).toBe(status);
  return operation.summary;
}

/** Another execution of the operation has come first. */
async function usedByAnother(id: string): Promise<void> {
  const { pk, sk } = keys.approvalUse(id, 1);
  const Item = { pk: { S: pk }, sk: { S: sk }, execution: { S: "arn:another" } };
  const body = JSON.stringify({ TableName: demo.ledgerTable, Item });
  await repeatWrites(here.simulator, [{ action: "PutItem", body }]);
}

describe("A drain's approval", () => {
  test("is asked for anew when a budget blocks by now, and goes on when it gives way", async () => {
    here = await withSeedNodes(twoApprovers(1));
    expect(await askedToDrain()).not.toContain("⛔");
    await guardedPod(here, web);
    await here.press("approver", APPROVE_OPERATION);
    await here.until(async () => (await approvalNow())?.asking === 2, 5, "the second question");
    expect((await approvalNow())?.worse.join("; ")).toMatch(/a disruption budget[\w ]* blocks/);
    await here.until(
      () => /⛔ Disruption budget `default\/guard` blocks/.test(openly(here).at(-1) ?? ""),
      5,
      "the card",
    );
    expect(isCordoned(here)).toBe(false);
    await allowDisruptions(here);
    await here.pass(1);
    await here.press("visitor", APPROVE_OPERATION);
    expect(await ended("succeeded")).toContain("is drained");
    expect((await approvalNow())?.asking).toBe(2);
  });

  test("counts each person once, and both of two who press at once", async () => {
    here = await withSeedNodes(twoApprovers(2));
    await askedToDrain();
    await here.press("approver", APPROVE_OPERATION);
    await here.press("approver", APPROVE_OPERATION);
    expect(privately(here, "approver").at(-1)).toMatch(/Your approval of `drain-\w+` is recorded/);
    await here.pass(3);
    expect(await approvalNow()).toMatchObject({ state: "open", votes: [{ userId: "U0APPROVER" }] });
    await Promise.all([here.press("approver", APPROVE_OPERATION), here.press("visitor", APPROVE_OPERATION)]);
    await ended("succeeded");
    expect((await approvalNow())?.votes).toHaveLength(2);
  });

  test("that another execution has used changes nothing", async () => {
    here = await withSeedNodes(twoApprovers(1));
    await askedToDrain();
    const { id } = (await newest(here)).operation;
    await usedByAnother(id);
    await here.press("approver", APPROVE_OPERATION);
    expect(await ended("refused")).toContain("was already used by another execution; an approval counts once");
    expect(isCordoned(here)).toBe(false);
  });
});

describe("A rule of the configuration", () => {
  test("makes a cordon and an uncordon wait for an approval", async () => {
    here = await withSeedNodes(twoApprovers(1, "cordon"));
    expect(await asked(`cordon ${SHORT}`)).toMatch(
      /is cordoned: no new pods are scheduled on it[\s\S]*Needs 1 approval/,
    );
    await here.pass(3);
    expect(isCordoned(here)).toBe(false);
    await here.press("approver", APPROVE_OPERATION);
    await ended("succeeded");
    expect(isCordoned(here)).toBe(true);
    // Only cordon has a rule: its opposite needs none, as by default.
    await here.type("operator", `/win uncordon ${SHORT}`);
    await ended("succeeded");
    expect(isCordoned(here)).toBe(false);
  });

  test("of a pool keeps operators of another from draining and cordoning its nodes, and tells them so in private", async () => {
    here = await withSeedNodes();
    const { pools } = here.configuration;
    await here.close();
    here = await withSeedNodes({
      configuration: {
        people: { operator: ["U0VISITOR0"], other: ["U0OPERATOR"], approver: ["U0APPROVER"] },
        policy: { drain: ["other"], cordon: ["other"] },
        pools: { ...pools, web: { ...pools.web, policy: { drain: ["operator"], cordon: ["operator"] } } },
      },
    });
    for (const command of ["drain", "cordon"]) {
      await here.type("operator", `/win ${command} ${SHORT}`);
      await ended("refused");
      expect(privately(here, "operator").at(-1)).toContain(`do not have permission to use \`${command}\``);
    }
    expect(isCordoned(here)).toBe(false);
  });
});

test("A removal's card names the budget that blocks", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await askApproval(here, web);
  expect(openly(here)[0]).toMatch(/⛔ Disruption budget `default\/guard` blocks `default\/guarded`/);
  expect((await approvalNow())?.record.blockers).toEqual([
    "a disruption budget",
    "a disruption budget that never allows an eviction",
  ]);
});
