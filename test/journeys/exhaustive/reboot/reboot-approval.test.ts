import { afterEach, describe, expect, test } from "vitest";
import { DENY_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { SHORT } from "../../on-web.ts";
import { otherWeb, web } from "../../others.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const deny = async (): Promise<void> => {
  await here.press("approver", DENY_OPERATION);
  await here.submit("approver", { reason: "not on a Saturday" });
};

const ends = [
  { end: "denied", status: "refused", decide: deny, summary: /not on a Saturday/ },
  { end: "lapsed", status: "cancelled", decide: () => here.pass(65), summary: /The request lapsed/ },
] as const;
const requests = [
  { what: "one node", command: `/win reboot ${SHORT} --force ${web.name}` },
  { what: "a pool", command: "/win reboot web" },
] as const;

describe.each(requests)("A request to reboot $what", ({ command }) => {
  test.each(ends)("that is $end changes nothing, and says so", async ({ end, status, decide, summary }) => {
    here = await withSeedNodes();
    await here.type("operator", command);
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
    await decide();
    await settled(here, 90);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status, approval: { state: end }, callbacks: {} });
    expect(operation.summary).toMatch(summary);
    expect(operation.endedAt).not.toBeNull();
    expect(openly(here).at(-1)).not.toContain("[Approve]");
    const nodes = [web, otherWeb].map(({ name }) => nodeNamed(here, name)?.spec?.unschedulable === true);
    expect(nodes).toEqual([false, false]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
