import { afterEach, describe, expect, test } from "vitest";
import { EC2_REBOOT } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts } from "../../restarts.ts";

const asked: Moment = { after: "EC2 was asked", service: "ec2", action: "RebootInstances", count: 1 };
const base = { seedNodes: true, configuration: { approvals: { reboot: { needs: 0 } } } } as const;
const REBOOT = `/win reboot ${SHORT} --force ${web.name}`;

const bootIdOf = (here: Journey): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
const told = (here: Journey): string => [...openly(here), ...inThreads(here)].join("\n");

/** Reboots that EC2 was asked for since the process was started again. */
const askedAgain = (here: Journey) => calls(here, "ec2", "RebootInstances");

describe("a process that dies after EC2 took a reboot and before it has EC2's answer", () => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let before: string | undefined;

  async function leave(run: (first: Journey) => Promise<void>): Promise<Journey> {
    restarts = await recordRestarts(base, [asked], async (first) => {
      before = bootIdOf(first);
      await run(first);
    });
    here = await restarts.from(asked.after);
    return here;
  }

  afterEach(async () => {
    await here?.close();
    here = undefined;
    restarts.end();
  });

  test("does not ask again for a plan that goes through EC2, and proves the one boot", async () => {
    const again = await leave(async (first) => {
      await first.type("operator", `${REBOOT} --ec2`);
      await settled(first, 120);
    });
    await settled(again, 240);
    expect((await newest(again)).operation.status).toBe("succeeded");
    expect(askedAgain(again)).toEqual([]);
    expect(bootIdOf(again)).not.toBe(before);
    expect(isCordoned(again)).toBe(false);
    expect(await heldBack(again)).toEqual([]);
  });

  test("says that EC2's answer is unknown for a machine that is late, and asks again only when pressed again", async () => {
    const again = await leave(async (first) => {
      injectFault(first, "boot-hangs", { instanceId: web.instanceId }, 1);
      await first.type("operator", REBOOT);
      await first.until(() => told(first).includes("has not come back from its reboot"), 60, "the offer");
      await first.press("operator", EC2_REBOOT);
      await settled(first, 240);
    });
    await again.until(() => told(again).includes("EC2's answer is unknown"), 10, "the unknown answer");
    await settled(again, 240);
    const { operation, nodes } = await newest(again);
    expect(operation.status).toBe("succeeded");
    expect(nodes[0]?.ec2Reboot?.answer).toBe("unknown");
    expect(askedAgain(again)).toEqual([]);
    expect(isCordoned(again)).toBe(false);
    await expectSound(again);
  });
});
