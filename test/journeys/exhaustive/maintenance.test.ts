import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, settled } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { operationOf, passTo, poolsWith, saturday } from "../maintenance.ts";
import { isCordoned, SHORT } from "../on-web.ts";
import { web } from "../others.ts";
import { openly } from "../reading.ts";
import { withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

const drain = `/win drain ${SHORT} --force ${web.name}`;
const within = (maintenance = [saturday()], more: object = {}): Promise<Journey> =>
  withSeedNodes({ configuration: { pools: poolsWith({ maintenance }), ...more } });
const unasked = { approvals: { drain: { needs: 0 }, reboot: { needs: 0 } } };

describe("A drain outside of the maintenance of its pool", () => {
  test("waits in the ledger without an execution, and is started in it", async () => {
    here = await within([saturday()], unasked);
    await here.type("operator", drain);
    await settled(here, 30);
    const waiting = await operationOf(here, "drain");
    expect(waiting).toMatchObject({
      status: "scheduled",
      summary: expect.stringMatching(/^Waits for the maintenance of pool `web`: Sat 21 Nov 2026, 05:00 to .*07:00 UTC/),
      scheduled: { from: "2026-11-21T05:00:00.000Z", until: "2026-11-21T07:00:00.000Z", part: 1 },
    });
    expect(isCordoned(here)).toBe(false);
    expect(openly(here).join()).toContain("scheduled");
    await passTo(here, "2026-11-21T04:58");
    expect(isCordoned(here)).toBe(false);
    await passTo(here, "2026-11-21T05:10");
    await settled(here, 30);
    expect(await operationOf(here, "drain")).toMatchObject({ status: "succeeded" });
    expect(isCordoned(here)).toBe(true);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("that was approved in advance is started without another question", async () => {
    here = await within();
    await here.type("operator", drain);
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
    expect(openly(here).join()).toContain("Waits for the next maintenance of pool `web`");
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 30);
    expect(await operationOf(here, "drain")).toMatchObject({ status: "scheduled", approval: { state: "approved" } });
    await passTo(here, "2026-11-21T05:10");
    await settled(here, 30);
    expect(await operationOf(here, "drain")).toMatchObject({ status: "succeeded", approval: { asking: 1 } });
    await expectSound(here);
  });
});
