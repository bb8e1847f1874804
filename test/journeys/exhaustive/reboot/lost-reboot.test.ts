import { afterEach, describe, expect, test } from "vitest";
import { denied, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, SHORT, unasked } from "../../on-web.ts";
import { guardedPod, web } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { stopAll } from "../../stopping.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
const told = (): string => [...openly(here), ...inThreads(here)].join("\n");

/** Starts a reboot, and stops its execution as a person with an administrator's rights would, in a stage. @returns the boot before */
async function stoppedIn(stage: string): Promise<string | undefined> {
  here = await unasked("reboot");
  const before = bootIdOf();
  if (stage === "evict") await guardedPod(here, web);
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 60, `the stage ${stage}`);
  await here.pass(1);
  await stopAll(here);
  await here.pass(45);
  await settled(here, 30);
  return before;
}

describe("A reboot whose execution was stopped", () => {
  test.each(["guard", "evict"])("in stage %s gives the node back, because nothing was rebooted", async (stage) => {
    const before = await stoppedIn(stage);
    expect((await newest(here)).operation.status).toBe("failed");
    expect([isCordoned(here), ownerShown(here)]).toEqual([false, undefined]);
    expect(bootIdOf()).toBe(before);
    expect(await heldBack(here)).toEqual([]);
  });

  test.each(["reboot", "prove"])("in stage %s leaves the node cordoned, until a proof gives it back", async (stage) => {
    await stoppedIn(stage);
    expect((await newest(here)).operation.status).toBe("failed");
    expect(isCordoned(here)).toBe(true);
    expect(await heldBack(here)).toEqual([]);
    expect(told()).toContain(`/win prove ${web.name}`);
    await here.type("operator", `/win prove ${SHORT}`);
    await settled(here, 60);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
    expect(denied(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
  });
});
