import { afterEach, describe, expect, test } from "vitest";
import { CORDONED_BY } from "../../lambdas/cluster/node-keys.ts";
import { APPROVE_OPERATION } from "../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { isCordoned, SHORT } from "./on-web.ts";
import { web } from "./others.ts";
import { openly } from "./reading.ts";
import { withSeedNodes } from "./removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

describe("A reboot", () => {
  test("asks for an approval, empties the node, reboots it once, and gives it back when it is proven", async () => {
    here = await withSeedNodes();
    const before = bootIdOf();
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name} --reason "updates are pending"`);
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 5, "the question");
    expect(openly(here).join("\n")).toMatch(
      /is drained and rebooted[\s\S]*✅ The guard of the metadata route is in order/,
    );
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 240);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("succeeded");
    expect(operation.summary).toContain("was rebooted and works");
    expect(nodes[0]?.stage).toBe("restore");
    expect(bootIdOf()).not.toBe(before);
    expect(isCordoned(here)).toBe(false);
    expect(nodeNamed(here, web.name)?.metadata?.annotations?.[CORDONED_BY]).toBeUndefined();
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
