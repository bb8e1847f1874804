import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, ledgerItems, newest, settled, spoken } from "../../evidence.ts";
import { asked, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { operationOf } from "../../maintenance.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { injectFault, reached } from "../../outside.ts";
import { dialogOf, openly, privately } from "../../reading.ts";
import { release } from "../../releases.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const nobody = { people: {} };

test("a member of a group is an operator from the first request on", async () => {
  here = await startJourney();
  await here.type("approver", "/win add web 1 --dry-run");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
});

test("who lost the role since the front door was told is refused in private before anything begins", async () => {
  here = await startJourney();
  release(here, nobody);
  await here.type("operator", "/win add web 1");
  await settled(here);
  expect(privately(here, "operator").at(-1)).toContain("do not have permission to use `add`");
  expect((await newest(here)).operation.status).toBe("refused");
  expect(spoken(here).channel).toEqual([]);
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  await expectSound(here);
});

test("who loses the role while the dialog is open removes nothing", async () => {
  here = await startJourney({ seedNodes: true });
  await here.type("operator", "/win remove ip-10-0-3-7");
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 2, "the facts in the dialog");
  release(here, nobody);
  await here.submit("operator");
  await settled(here);
  expect(privately(here, "operator").at(-1)).toContain("do not have permission to use `remove`");
  expect((await newest(here)).operation.status).toBe("refused");
  expect(calls(here, "ec2", "TerminateInstances")).toEqual([]);
  await expectSound(here);
});

test("who loses the role while the approval is open drains nothing, whoever approves", async () => {
  here = await withSeedNodes();
  await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
  await here.until(async () => (await operationOf(here, "drain")).approval?.state === "open", 10, "the question");
  release(here, { people: { approver: ["U0APPROVER"] } });
  await here.press("approver", APPROVE_OPERATION);
  await settled(here);
  expect(await operationOf(here, "drain")).toMatchObject({ status: "refused" });
  expect(openly(here)[0]).toContain("do not have permission to use `drain`");
  expect(openly(here)[0]).toContain("Nothing was changed");
  expect(isCordoned(here)).toBe(false);
  await expectSound(here);
});

test("what the front door refuses is written down, and listed nowhere", async () => {
  here = await startJourney();
  await here.type("visitor", "/win add web 1");
  await settled(here);
  expect(await here.operations()).toEqual([]);
  const kept = (await ledgerItems(here)).filter(({ status }) => status?.S === "refused");
  expect(kept).toHaveLength(1);
  await expectSound(here);
});

test("who lost the role since the front door was told neither cancels nor decides; somebody else still may", async () => {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "feature-install-fails");
  await here.type("operator", "/win add web");
  await asked(here);
  release(here, { people: { operator: ["U0APPROVER"] } });
  const { id } = (await newest(here)).operation;
  for (const [act, command] of [
    [() => here.type("operator", `/win cancel ${id}`), "cancel"],
    [() => here.press("operator", "keep-instance"), "add"],
  ] as const) {
    await act();
    const refusal = `do not have permission to use \`${command}\``;
    await here.until(() => privately(here, "operator").at(-1)?.includes(refusal) ?? false, 2, refusal);
  }
  expect((await newest(here)).operation).toMatchObject({ status: "waiting", cancelledBy: null });
  await here.press("approver", "terminate-instance");
  await here.until(() => privately(here, "approver").length > 0, 1, "an answer at once");
  expect(privately(here, "approver").at(-1)).toContain(`Terminating \`${launchedId(here)}\``);
  await settled(here);
  expect((await newest(here)).nodes[0]?.outcome).toBe("terminated by <@U0APPROVER>");
  await expectSound(here);
});

test("who lost the role since the front door was told does not stand in the way of the next person's cancellation", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "agent");
  release(here, { people: { operator: ["U0APPROVER"] } });
  await here.press("operator", "cancel-operation");
  await here.press("approver", "cancel-operation");
  await settled(here);
  expect(privately(here, "approver").at(-1)).toContain("is already being cancelled by <@U0OPERATOR");
  expect((await newest(here)).operation).toMatchObject({ status: "cancelled", cancelledBy: "U0APPROVER" });
  await expectSound(here);
});

test("who lost the role since the front door was told does not stop a machine on its way", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "agent");
  release(here, { people: { operator: ["U0APPROVER"] } });
  await here.press("operator", "cancel-operation");
  await settled(here);
  expect(privately(here, "operator").at(-1)).toContain("do not have permission to use `cancel`");
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", cancelledBy: null });
  await expectSound(here);
});
