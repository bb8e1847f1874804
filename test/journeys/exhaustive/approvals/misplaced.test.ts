import { afterEach, expect, test } from "vitest";
import {
  APPROVE_OPERATION,
  CANCEL_OPERATION,
  DENY_OPERATION,
  DO_NEXT,
} from "../../../../lambdas/messages/slack/buttons.ts";
import { newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { web } from "../../others.ts";
import { dialogOf, privately } from "../../reading.ts";
import { askApproval, expectGone, expectKept, withSeedNodes } from "../../removal.ts";
import { postBait } from "./posting.ts";

let here: Journey;
afterEach(() => here.close());

const lastAnswer = () => privately(here, "approver").at(-1) ?? "";

/** A removal that waits for its approval, and the value of its button. */
async function waiting() {
  here = await withSeedNodes();
  const { id } = await askApproval(here, web);
  const { messageTs, approval } = (await newest(here)).operation;
  return { id, messageTs: messageTs ?? "", value: `${id}:${approval?.asking}` };
}

test("Approve behind other words, in the channel, in the thread or in private, approves nothing", async () => {
  const { id, value, messageTs } = await waiting();
  for (const where of [{}, { threadTs: messageTs }, { isPrivate: true }]) {
    const bait = await postBait(here, { actionId: APPROVE_OPERATION, value, ...where });
    await here.press("approver", APPROVE_OPERATION, bait);
    expect(lastAnswer()).toContain(`Nothing was changed. Casement did not post this message for \`${id}\``);
    expect(lastAnswer()).toContain(`/p${messageTs.replace(".", "")}|the message of the operation>`);
  }
  await here.pass(3);
  expect((await newest(here)).operation.approval).toMatchObject({ state: "open", votes: [] });
  await here.press("approver", APPROVE_OPERATION, messageTs);
  await expectGone(here, web);
});

test("Deny and Cancel behind other words open no dialog and stop nothing", async () => {
  const { id, value } = await waiting();
  await here.press("approver", DENY_OPERATION, await postBait(here, { actionId: DENY_OPERATION, value }));
  expect(dialogOf(here, "approver")).toBe("");
  const cancel = await postBait(here, { actionId: CANCEL_OPERATION, value: id });
  await here.press("operator", CANCEL_OPERATION, cancel);
  await here.pass(3);
  expect((await newest(here)).operation).toMatchObject({ cancelledBy: null, endedAt: null });
});

test("a command behind other words is named and not started", async () => {
  here = await withSeedNodes();
  const bait = await postBait(here, { actionId: DO_NEXT, value: `drain ${web}` });
  await here.press("operator", DO_NEXT, bait);
  expect(privately(here, "operator").at(-1)).toContain(`The button would run \`/win drain ${web}\``);
  expect(await here.operations()).toEqual([]);
  await expectKept(here, web);
});
