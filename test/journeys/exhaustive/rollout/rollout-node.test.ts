import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { otherWeb, web } from "../../others.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootOf = (name: string): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;

test("A rollout of a pool reboots the node that may be emptied, and leaves the other one as it is", async () => {
  here = await withSeedNodes({ configuration: { approvals: { reboot: { needs: 0 } } } });
  const names = [web.name, otherWeb.name];
  const before = names.map(bootOf);
  await here.type("operator", "/win reboot web");
  await settled(here, 300);
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded" });
  expect(operation.summary).toBe("1 of 1 node is rebooted and proven.");
  expect(names.filter((name, at) => bootOf(name) === before[at])).toEqual([web.name]);
  expect(names.filter((name) => nodeNamed(here, name)?.spec?.unschedulable)).toEqual([]);
  expect(openly(here).join("\n")).toContain(`✅ \`${otherWeb.name}\``);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
