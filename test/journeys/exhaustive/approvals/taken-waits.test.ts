import { afterEach, expect, test } from "vitest";
import { CANCEL_OPERATION, TAKE_WAIT } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { SHORT, unasked } from "../../on-web.ts";
import { guardedPod, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, privately } from "../../reading.ts";
import type { Name } from "../../slack-users.ts";

let here: Journey;
afterEach(() => here.close());

const LONG = { timeout: 240_000 };

const reminders = (): string[] => inThreads(here).filter((text) => text.includes("⏰"));
const has = (user: string) =>
  expect.stringMatching(new RegExp(`<@${user}> has had it since .*\\. Reminders are silent until `));

/** A drain that stands at its deadline, because a budget allows no eviction: people are called to it again within the hour. */
async function blocked(): Promise<void> {
  here = await unasked("drain", { drain: { evict: 2, continue: 240 } });
  await guardedPod(here, web);
  await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
  await here.until(() => reminders().length === 1, 40, "the first reminder");
}

async function take(user: Name): Promise<void> {
  await here.press(user, TAKE_WAIT);
  await here.pass(1);
}

test(
  "Who has a wait is named in its call, which is silent for an hour and then goes to those on call",
  LONG,
  async () => {
    await blocked();
    await take("operator");
    await take("operator");
    expect(reminders()).toEqual([has("U0OPERATOR")]);
    await here.pass(55);
    expect(reminders()).toHaveLength(1);
    await here.pass(15);
    expect(reminders()).toHaveLength(2);
    expect(reminders()[1]).toMatch(/^<@U0OPERATOR> ⏰/);
    expect(reminders()[1]).not.toContain("has had it since");
    expect(privately(here, "operator").join("\n")).not.toContain("has it");
  },
);

test(
  "Another person takes it over, a press without the right takes it from nobody, and what has ended cannot be taken",
  LONG,
  async () => {
    await blocked();
    await here.press("operator", TAKE_WAIT);
    await take("visitor");
    expect(privately(here, "visitor").at(-1)).toContain("permission");
    expect(reminders()).toEqual([has("U0OPERATOR")]);
    await take("approver");
    expect(reminders()).toEqual([has("U0APPROVER")]);
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 10);
    await take("operator");
    expect(privately(here, "operator").at(-1)).toBe("It no longer waits for a person. Nothing was changed.");
    await here.pass(70);
    expect(reminders()).toHaveLength(1);
    await expectSound(here);
  },
);

test("If Slack refuses to show who has it, the silence holds, and the call shows it later", LONG, async () => {
  await blocked();
  const fault = injectFault(here, "slack-refuses");
  await take("operator");
  expect(reminders()).not.toEqual([has("U0OPERATOR")]);
  await here.pass(20);
  endFault(here, fault);
  await here.pass(10);
  expect(reminders()).toEqual([has("U0OPERATOR")]);
});
