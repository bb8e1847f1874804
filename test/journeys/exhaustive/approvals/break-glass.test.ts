import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, DENY_OPERATION, RUN_UNAPPROVED } from "../../../../lambdas/messages/slack/buttons.ts";
import { keys } from "../../../../lambdas/records/ledger-table.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { repeatWrites } from "../../ledger-writes.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { cordonByHand, otherWeb, shortName, web } from "../../others.ts";
import { dialogOf, inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const WHY = "disk fails, INC-7 now";

/** The requester could approve another's request. */
const people = { operator: ["U0OPERATOR"], "on-call": ["U0OPERATOR"], approver: ["U0OPERATOR", "U0APPROVER"] };

const drainOf = (name: string, more = ""): string =>
  `/win drain ${name} --force ${name} --break-glass "${WHY}" ${more}`;

const operationNow = async () => (await newest(here)).operation;

/** Types a command and waits for its end. */
async function run(command: string): Promise<Awaited<ReturnType<typeof operationNow>>> {
  await here.type("operator", command);
  await settled(here, 60);
  return operationNow();
}

/** The operation as the ledger holds it now. */
const recordOf = async (id: string) => (await here.operations()).find((operation) => operation.id === id);

/** Lets the use of an operation be a day old. */
async function agedByADay(operation: string): Promise<void> {
  const at = new Date(Date.now() - 24 * 60 * 60_000).toISOString();
  const use = { operation, uid: "u-1", node: web.name, pool: "web", isReady: true, at };
  const text = Object.entries(use).map(([name, value]) => [
    name,
    typeof value === "boolean" ? { BOOL: value } : { S: value },
  ]);
  const { pk, sk } = keys.breakGlass;
  const Item = { pk: { S: pk }, sk: { S: sk }, version: { N: "9" }, uses: { L: [{ M: Object.fromEntries(text) }] } };
  const body = JSON.stringify({ TableName: demo.ledgerTable, Item });
  await repeatWrites(here.simulator, [{ action: "PutItem", body }]);
}

describe("The button Run without approval", () => {
  /** The operator asks, and is not on call; the approver is. */
  const waiting = async (onCall: string, more: object = {}, options = ""): Promise<string> => {
    here = await withSeedNodes({
      configuration: { people: { ...people, "on-call": [onCall], operator: ["U0OPERATOR", onCall] }, ...more },
    });
    await here.type("operator", `/win drain ${SHORT} --force ${web.name} ${options}`);
    await here.until(async () => (await operationNow()).approval?.state === "open", 10, "the question");
    return (await operationNow()).id;
  };

  test("takes a reason, and runs the same change in the name of who is on call", async () => {
    const asked = await waiting("U0APPROVER");
    expect(openly(here)[0]).toContain("[Approve]\n[Deny]\n[Run without approval…]");
    await here.press("approver", RUN_UNAPPROVED);
    expect(dialogOf(here, "approver")).toContain("Run without approval");
    await here.submit("approver", { reason: WHY });
    await settled(here, 60);
    const done = await operationNow();
    expect(done).toMatchObject({
      status: "succeeded",
      request: { command: "drain", node: web.name, force: web.name, breakGlass: WHY },
      asker: { userId: "U0APPROVER" },
      approval: { state: "review" },
    });
    expect(await recordOf(asked)).toMatchObject({ status: "cancelled", followUps: [{ operation: done.id }] });
    expect(openly(here)[0]).toMatch(new RegExp(`<@U0APPROVER> started .*${done.id}`));
    expect(isCordoned(here)).toBe(true);
  });

  test("leaves the request that waits as it is where who is on call may not use the command", async () => {
    here = await withSeedNodes({ configuration: { people: { ...people, "on-call": ["U0APPROVER"] } } });
    await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
    await here.until(async () => (await operationNow()).approval?.state === "open", 10, "the question");
    await here.press("approver", RUN_UNAPPROVED);
    await here.submit("approver", { reason: WHY });
    expect(dialogOf(here, "approver")).toContain("You do not have permission to use `drain`");
    expect((await here.operations()).map(({ status }) => status)).toEqual(["waiting"]);
  });

  test("leaves it as it is where the policy of the node's pool gives nobody that right", async () => {
    const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
    const strict = { ...pools, web: { ...pools.web, policy: { "break-glass": [] } } };
    const asked = await waiting("U0APPROVER", { pools: strict });
    expect(openly(here)[0]).not.toContain("[Run without approval…]");
    expect((await recordOf(asked))?.status).toBe("waiting");
  });

  test("leaves it with its buttons where another node's review is open, and the change is refused", async () => {
    const both = ["U0OPERATOR", "U0APPROVER"];
    here = await withSeedNodes({ configuration: { people: { ...people, "on-call": both, operator: both } } });
    const first = await run(drainOf(web.name));
    await here.type("operator", `/win uncordon ${shortName(web)}`);
    await settled(here);
    await here.type("operator", `/win drain ${shortName(otherWeb)} --force ${otherWeb.name}`);
    await here.until(async () => (await operationNow()).approval?.state === "open", 10, "the question");
    const { id: asked } = await operationNow();
    await here.press("approver", RUN_UNAPPROVED);
    await here.submit("approver", { reason: WHY });
    await here.pass(5);
    expect(await operationNow()).toMatchObject({ status: "refused", summary: expect.stringContaining(first.id) });
    expect(await recordOf(asked)).toMatchObject({ status: "waiting", cancelledBy: null });
    const card = openly(here).find((text) => text.includes(asked));
    expect(card).toContain("[Approve]\n[Deny]\n[Run without approval…]");

    await here.type("approver", `/win approve ${first.id}`);
    await here.until(async () => (await recordOf(first.id))?.approval?.state === "reviewed", 40, "the review");
    await here.press("approver", RUN_UNAPPROVED);
    await here.submit("approver", { reason: WHY });
    await here.until(async () => (await recordOf(asked))?.status === "cancelled", 10, "the end of the request");
    await settled(here, 60);
    expect(await operationNow()).toMatchObject({ status: "succeeded", request: { node: otherWeb.name } });
  });

  test("does not wait for the time for which the change was asked", async () => {
    const asked = await waiting("U0APPROVER", {}, '--at "Sat 02:00"');
    await here.press("approver", RUN_UNAPPROVED);
    await here.submit("approver", { reason: WHY });
    await here.until(async () => (await operationNow()).status === "succeeded", 60, "the drain");
    expect((await operationNow()).request).not.toHaveProperty("at");
    expect(await recordOf(asked)).toMatchObject({ status: "cancelled" });
  });

  test("does nothing for those who are not on call", async () => {
    const asked = await waiting("U0APPROVER");
    await here.press("operator", RUN_UNAPPROVED);
    expect(dialogOf(here, "operator")).toBe("");
    expect(privately(here, "operator").at(-1)).toContain("You do not have permission to use `break-glass`");
    expect(privately(here, "operator").at(-1)).toContain("Ask <@U0APPROVER>, who may.");
    expect((await recordOf(asked))?.status).toBe("waiting");
  });
});

describe("A drain with --break-glass", () => {
  test("does not wait for the approval, calls the approvers, and is reviewed afterwards", async () => {
    here = await withSeedNodes({ configuration: { people } });
    const { id, status, summary } = await run(drainOf(web.name));
    expect([status, summary]).toEqual(["succeeded", expect.stringContaining("is drained")]);
    const call = inThreads(here).find((text) => text.includes("is acting without an approval"));
    expect(call).toMatch(
      /<@U0APPROVER>[\s\S]*is acting without an approval[\s\S]*Reason: disk fails, INC-7 now\. To stop it, press [\s\S]*pods? will be evicted/,
    );
    expect(openly(here)[0]).toMatch(/Ran without an approval[\s\S]*\[Looks fine\][\s\S]*\[Raise a concern\]/);
    await here.press("operator", APPROVE_OPERATION);
    expect(privately(here, "operator").at(-1)).toContain(`You requested \`${id}\`, so another person must decide`);
    await here.type("operator", "/win operations");
    await here.pass(1);
    expect(privately(here, "operator").at(-1)).toContain("its review by `approver`: it ran without an approval");

    await here.press("approver", APPROVE_OPERATION);
    expect(privately(here, "approver").at(-1)).toMatch(/Your review of `drain-\w+` is recorded: looks fine/);
    await here.until(async () => (await recordOf(id))?.approval?.state === "reviewed", 40, "the review");
    await here.pass(1);
    expect(openly(here)[0]).toMatch(
      /without an approval: disk fails, INC-7 now · reviewed by <@U0APPROVER>: looks fine/,
    );
    await here.type("approver", `/win audit ${id}`);
    await here.pass(1);
    expect(privately(here, "approver").at(-1)).toMatch(/chain intact[\s\S]*break-glass[\s\S]*ended[\s\S]*reviewed/);
  });

  test("takes the node's name alone, not a beginning of it, and only of a person with the role", async () => {
    here = await withSeedNodes();
    expect((await run(`/win drain ${SHORT.slice(0, -2)} --break-glass "${WHY}"`)).status).toBe("not-started");
    expect(privately(here, "operator").at(-1)).toContain(`--break-glass requires the node's name`);
    await here.close();
    here = await withSeedNodes({ configuration: { policy: { drain: ["operator"], "break-glass": ["approver"] } } });
    expect((await run(drainOf(web.name))).status).toBe("refused");
    expect(privately(here, "operator").at(-1)).toContain("You do not have permission to use `break-glass`");
    expect(isCordoned(here)).toBe(false);
    expect(openly(here)).toEqual([]);
  });

  test("takes no second Ready node until the first one was reviewed; a denial raises a concern", async () => {
    here = await withSeedNodes();
    const first = await run(drainOf(web.name));
    await here.type("operator", `/win uncordon ${shortName(web)}`);
    await settled(here);
    const second = await run(drainOf(otherWeb.name));
    expect([second.status, second.summary]).toEqual(["refused", expect.stringContaining(first.id)]);
    await here.press("approver", DENY_OPERATION);
    await here.submit("approver", { reason: "no one was asked" });
    await here.until(async () => (await recordOf(first.id))?.approval?.state === "reviewed", 40, "the review");
    await here.pass(1);
    expect(inThreads(here).join("\n")).toContain("raises a concern: no one was asked");
    expect((await run(drainOf(otherWeb.name))).status).toBe("succeeded");
  });

  test("waits for a slot like any other", async () => {
    here = await withSeedNodes();
    await cordonByHand(here, otherWeb);
    await here.type("operator", drainOf(web.name));
    await here.pass(5);
    const { operation, nodes } = await newest(here);
    expect([operation.endedAt, nodes[0]?.stage]).toEqual([null, "slot"]);
    expect(isCordoned(here)).toBe(false);
  });

  test("that was not reviewed is told to the approvers again after a day", async () => {
    here = await withSeedNodes();
    const { id } = await run(drainOf(web.name));
    await agedByADay(id);
    await here.pass(20);
    const reminders = inThreads(here).filter((text) => text.includes("was not reviewed"));
    expect(reminders).toEqual([expect.stringContaining(`\`${id}\``)]);
  });
});
