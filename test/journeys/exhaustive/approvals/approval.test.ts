import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION, DENY_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl, podOn, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { dialogOf, openly, privately } from "../../reading.ts";
import { askApproval, confirmRemoval, crowd, expectGone, expectKept, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const approvalNow = async () => (await newest(here)).operation.approval;

/** Two people beside the requester may approve; so may the requester, where it would count. */
const everybody = (needs: number) => ({
  configuration: {
    people: { operator: ["U0OPERATOR"], approver: ["U0APPROVER", "U0VISITOR0", "U0OPERATOR"] },
    approvals: { remove: { needs } },
  },
});

test("Deny asks for a reason, ends the removal, and says who denied it and why", async () => {
  here = await withSeedNodes();
  await askApproval(here, web);
  await here.press("approver", DENY_OPERATION);
  expect(dialogOf(here, "approver")).toContain("ends, and nothing is changed");
  await here.submit("approver", { reason: "Not before the release" });
  await expectKept(here, web);
  const { operation } = await newest(here);
  expect(operation.status).toBe("refused");
  expect(operation.summary).toBe("Denied by <@U0APPROVER>: Not before the release. Nothing was changed.");
  expect(openly(here)[0]).toContain("Not before the release");
  expect(openly(here)[0]).not.toContain("[Approve]");
});

test("approve and deny are typed too, and a second vote of the same person changes nothing", async () => {
  here = await withSeedNodes(everybody(2));
  const { id } = await askApproval(here, web);
  await here.type("approver", `/win approve ${id}`);
  await here.type("approver", `/win deny ${id} --reason "on second thoughts"`);
  expect(privately(here, "approver").at(-1)).toContain(`You approved \`${id}\` before, and each person votes once`);
  await here.press("approver", APPROVE_OPERATION);
  await here.pass(3);
  expect(await approvalNow()).toMatchObject({ state: "open", votes: [{ userId: "U0APPROVER" }] });
  expect(openly(here)[0]).toContain("Approved by <@U0APPROVER>; 1 more to come");
  await here.type("visitor", `/win approve ${id}`);
  await expectGone(here, web);
});

test("two people who press at once both count", async () => {
  here = await withSeedNodes(everybody(2));
  await askApproval(here, web);
  await Promise.all([here.press("approver", APPROVE_OPERATION), here.press("visitor", APPROVE_OPERATION)]);
  await expectGone(here, web);
  expect((await approvalNow())?.votes).toHaveLength(2);
});

test("the requester's own press does not count, and is told so in private", async () => {
  here = await withSeedNodes(everybody(1));
  await askApproval(here, web);
  await here.press("operator", APPROVE_OPERATION);
  expect(privately(here, "operator").at(-1)).toContain("another person must decide");
  await here.pass(3);
  expect(await approvalNow()).toMatchObject({ state: "open", votes: [] });
});

test("a request that gets no approval in time lapses, changes nothing, and says what to do next", async () => {
  here = await withSeedNodes();
  const { id } = await askApproval(here, web);
  await expectKept(here, web);
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "cancelled", approval: { state: "lapsed" } });
  expect(operation.summary).toContain("The request lapsed");
  expect(operation.summary).toContain("{win} remove");
  await here.type("approver", `/win approve ${id}`);
  expect(privately(here, "approver").at(-1)).toContain("was already decided, or lapsed");
});

test("cancelled while it waits, nothing is changed", async () => {
  here = await withSeedNodes();
  const { id } = await askApproval(here, web);
  await here.type("approver", `/win cancel ${id}`);
  await expectKept(here, web);
  expect((await newest(here)).operation).toMatchObject({ status: "cancelled", approval: { state: "cancelled" } });
});

test("a plan that got worse is asked for anew, and goes on when it is approved again", async () => {
  here = await withSeedNodes(everybody(2));
  await askApproval(here, web);
  await here.press("approver", APPROVE_OPERATION);
  here.simulator.kubernetes.create(
    podOn(web, "scratch", { spec: { volumes: [{ name: "scratch", hostPath: { path: "C:\\scratch" } }] } }),
  );
  await here.pass(1);
  const old = (await newest(here)).operation;
  await here.press("visitor", APPROVE_OPERATION);
  await here.until(async () => (await approvalNow())?.asking === 2, 5, "the second question");
  expect(await approvalNow()).toMatchObject({ state: "open", votes: [], worse: ["hostPath is lost too"] });
  expect((await approvalNow())?.hash).not.toBe(old.approval?.hash);
  await here.until(() => openly(here)[0]?.includes("The plan got worse") === true, 3, "the card");
  await here.press("approver", APPROVE_OPERATION);
  await here.press("visitor", APPROVE_OPERATION);
  await expectGone(here, web);
});

test("a plan that got better goes on with the approval that it has", async () => {
  here = await withSeedNodes();
  const scratch = podOn(web, "scratch", {
    spec: { volumes: [{ name: "scratch", hostPath: { path: "C:\\scratch" } }] },
  });
  here.simulator.kubernetes.create(scratch);
  await askApproval(here, web);
  expect((await approvalNow())?.record.losses).toContain("hostPath");
  await kubectl(here, "DELETE", "/api/v1/namespaces/default/pods/scratch");
  await here.press("approver", APPROVE_OPERATION);
  await expectGone(here, web);
  expect((await approvalNow())?.asking).toBe(1);
});

test("while Slack is away the question waits, and is asked when it is back", async () => {
  here = await withSeedNodes();
  await crowd(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  const fault = injectFault(here, "slack-5xx", { method: "chat.postMessage" });
  await here.pass(8);
  expect(await approvalNow()).toMatchObject({ state: "open" });
  endFault(here, fault);
  await here.until(() => openly(here)[0]?.includes("[Approve]") === true, 3, "the card");
  await here.press("approver", APPROVE_OPERATION);
  await expectGone(here, web);
});

test("a vote whose person Slack cannot be asked about counts when Slack is back", async () => {
  here = await withSeedNodes();
  await askApproval(here, web);
  const fault = injectFault(here, "slack-5xx", { method: "users.info" });
  await here.press("approver", APPROVE_OPERATION);
  await here.pass(3);
  expect(await approvalNow()).toMatchObject({ state: "open", votes: [] });
  endFault(here, fault);
  await expectGone(here, web);
});

test("operators of one pool cannot remove a node of another, and are told so in private", async () => {
  const pools = { people: { operator: ["U0VISITOR0"], other: ["U0OPERATOR"], approver: ["U0APPROVER"] } };
  here = await withSeedNodes();
  const { web: its } = here.configuration.pools;
  await here.close();
  here = await withSeedNodes({
    configuration: {
      ...pools,
      policy: { remove: ["other"] },
      pools: { ...here.configuration.pools, web: { ...its, policy: { remove: ["operator"] } } },
    },
  });
  await here.type("operator", "/win remove ip-10-0-3-7");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("refused");
  expect(dialogOf(here, "operator")).toContain("do not have permission to use `remove`");
});
