import { afterEach, describe, expect, test } from "vitest";
import { CORDONED_BY } from "../../lambdas/cluster/node-keys.ts";
import { APPROVE_OPERATION } from "../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { isCordoned, SHORT, unasked } from "./on-web.ts";
import { web } from "./others.ts";
import { injectFault } from "./outside.ts";
import { openly, privately } from "./reading.ts";
import { withSeedNodes } from "./removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

async function reboot(rest = ""): Promise<string> {
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}${rest}`);
  await settled(here, 240);
  return [...openly(here), ...privately(here, "operator")].join("\n");
}

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

  test("leaves the node cordoned when the machine does not come back, and says what to do", async () => {
    here = await unasked("reboot", { reboot: { reboot: 20, prove: 12 } });
    injectFault(here, "boot-hangs", { instanceId: web.instanceId });
    const told = await reboot();
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(nodes[0]?.failure?.stage).toBe("reboot");
    expect(told).toContain("the node stays cordoned until it is proven");
    expect(told).toContain("[Reboot through EC2…]\n[Check again]\n[Keep cordoned]");
    expect(told).not.toContain("[Try again]");
    expect(isCordoned(here)).toBe(true);
    await here.pass(60);
    expect(isCordoned(here)).toBe(true);
  });
});
